-- Proposals are few, so that they are taken off a count that reads the index of times alone.
SELECT day, sum(number) FROM (
    SELECT substr(at, 1, 10) AS day, count(*) AS number FROM revision WHERE at >= ?1 AND at < ?2 GROUP BY 1
    UNION ALL
    SELECT substr(r.at, 1, 10), -count(*) FROM belief b JOIN revision r ON r.belief = b.seq
    WHERE b.status = 'proposed' AND r.at >= ?1 AND r.at < ?2 GROUP BY 1
    UNION ALL
    SELECT date(began / 1000, 'unixepoch'), count(*) FROM episode WHERE began >= ?3 AND began < ?4 GROUP BY 1
    UNION ALL
    SELECT date(created / 1000, 'unixepoch'), count(*) FROM handoff WHERE created >= ?3 AND created < ?4 GROUP BY 1
    UNION ALL
    SELECT day, max(number) FROM (
        SELECT date(at / 1000, 'unixepoch') AS day, count(*) AS number FROM event
        WHERE kind = 'commit' AND at >= ?3 AND at < ?4 GROUP BY 1
        UNION ALL
        SELECT date(at, 'unixepoch'), count(*) FROM commit_episode
        WHERE at >= ?3 / 1000 AND at < ?4 / 1000 GROUP BY 1
    ) GROUP BY 1
) GROUP BY day
