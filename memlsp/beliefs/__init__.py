"""What deserves trust: admission, what a statement claims, where its code is now, and what that code says of it."""
