"""Source text to symbols, fingerprints, symbol changes and one plain sentence. Pure: text in, values out."""
