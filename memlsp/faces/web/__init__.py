"""The page of `memlsp web`: what the memory holds, for a person with a browser."""
