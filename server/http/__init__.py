"""The web layer: the only importer of Flask."""
