"""Adapters for agent frameworks, each in a module of its own that needs its framework installed.

`langchain`, `pydantic_ai`, `openai_agents`, `mini_swe_agent`: none is imported by this package.
"""
