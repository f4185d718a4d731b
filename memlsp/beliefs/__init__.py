"""What deserves authority: anchoring, claims, standing, revision, confidence."""
