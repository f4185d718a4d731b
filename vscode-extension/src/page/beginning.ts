/** The beginning of a text, cut between letters as people see them. */

/** At most `most` letters, the last of them "…" where something was left out. */
export function beginning(text: string, most: number): string {
  // no letter that people write is longer than this many units; so a huge text is not looked through
  const near = text.slice(0, most * 16);
  let letters = 0;
  let end = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(near)) {
    letters += 1;
    if (letters === most) end = index;
    else if (letters > most) return `${near.slice(0, end).trimEnd()}…`;
    if (index + segment.length === near.length && near.length === text.length) return text;
  }
  return text === "" ? "" : `${near.slice(0, end || near.length).trimEnd()}…`;
}
