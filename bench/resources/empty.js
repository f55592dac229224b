// Imports nothing: what the import of anything costs.
