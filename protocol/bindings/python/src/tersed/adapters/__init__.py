"""Adapters for agent frameworks, each in its own module. A module needs its framework installed.

`langchain`, `pydantic_ai`, `openai_agents`, `mini_swe_agent`: this package imports none of them.
"""
