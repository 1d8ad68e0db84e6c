"""The log of decisions: a spool on disk, and the thread that writes it to the database."""
