"""Stages that read question and passage together."""
