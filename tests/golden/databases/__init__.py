"""Databases that earlier versions have written, and what must hold after an upgrade."""
