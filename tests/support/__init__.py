"""Oracles, random problems and storages that tests share."""
