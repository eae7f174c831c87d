"""One method for each method of the protocol, version 1.

Generated from the schema of the protocol; not to be edited.
"""

from __future__ import annotations

from typing import Any, cast

from . import protocol


class Methods:
    """The methods of the protocol, in blocking form."""

    def request(self, method: str, params: object = None, *, timeout: float | None = None) -> Any:
        """Calls any method; gives its result as it came."""
        raise NotImplementedError

    def notify(self, method: str, params: object = None) -> None:
        """Sends any notification."""
        raise NotImplementedError

    def tool_result_compress(
        self, params: protocol.CompressParams, *, timeout: float | None = None
    ) -> protocol.Compressed:
        """Compresses one tool result."""
        result = self.request("toolResult/compress", params, timeout=timeout)
        return cast("protocol.Compressed", result)

    def tool_result_compress_batch(
        self, params: protocol.BatchParams, *, timeout: float | None = None
    ) -> protocol.BatchCompressed:
        """Compresses the tool results of one turn, in order."""
        result = self.request("toolResult/compressBatch", params, timeout=timeout)
        return cast("protocol.BatchCompressed", result)

    def tool_result_open(
        self, params: protocol.StreamOpenParams, *, timeout: float | None = None
    ) -> protocol.StreamOpened:
        """Opens a stream for the result of a long command."""
        result = self.request("toolResult/open", params, timeout=timeout)
        return cast("protocol.StreamOpened", result)

    def tool_result_append(
        self, params: protocol.AppendParams, *, timeout: float | None = None
    ) -> protocol.Appended:
        """Adds the next output of the command."""
        result = self.request("toolResult/append", params, timeout=timeout)
        return cast("protocol.Appended", result)

    def tool_result_peek(
        self, params: protocol.StreamParams, *, timeout: float | None = None
    ) -> protocol.Compressed:
        """Shows the result as if the command ended now; nothing is committed."""
        result = self.request("toolResult/peek", params, timeout=timeout)
        return cast("protocol.Compressed", result)

    def tool_result_close(
        self, params: protocol.StreamCloseParams, *, timeout: float | None = None
    ) -> protocol.Compressed:
        """Ends a stream and compresses the result as `toolResult/compress` would have."""
        result = self.request("toolResult/close", params, timeout=timeout)
        return cast("protocol.Compressed", result)

    def tool_result_discard(
        self, params: protocol.StreamParams, *, timeout: float | None = None
    ) -> protocol.Discarded:
        """Ends a stream without a result."""
        result = self.request("toolResult/discard", params, timeout=timeout)
        return cast("protocol.Discarded", result)

    def messages_compress(
        self, params: protocol.MessagesParams, *, timeout: float | None = None
    ) -> protocol.MessagesCompressed:
        """Compresses the tool results in a whole request body: OpenAI chat and responses,
        Anthropic, Gemini, MCP.
        """
        result = self.request("messages/compress", params, timeout=timeout)
        return cast("protocol.MessagesCompressed", result)

    def tool_schema_minify(
        self, params: protocol.ToolSchemaParams, *, timeout: float | None = None
    ) -> protocol.Minified:
        """Minifies the descriptions of tools: removes white space, never words."""
        result = self.request("toolSchema/minify", params, timeout=timeout)
        return cast("protocol.Minified", result)

    def rules_check(
        self, params: protocol.RulesCheckParams, *, timeout: float | None = None
    ) -> protocol.RulesChecked:
        """Checks rules of the operator, runs their tests, and explains which rule is used on a
        result.
        """
        result = self.request("rules/check", params, timeout=timeout)
        return cast("protocol.RulesChecked", result)

    def artifact_read(
        self, params: protocol.ReadParams, *, timeout: float | None = None
    ) -> protocol.Read:
        """Reads an original back: all of it or some lines, page by page."""
        result = self.request("artifact/read", params, timeout=timeout)
        return cast("protocol.Read", result)

    def artifact_search(
        self, params: protocol.SearchParams, *, timeout: float | None = None
    ) -> protocol.Found:
        """Finds lines of an original by a regular expression, with context."""
        result = self.request("artifact/search", params, timeout=timeout)
        return cast("protocol.Found", result)

    def artifact_list(
        self, params: protocol.ListParams, *, timeout: float | None = None
    ) -> protocol.List:
        """Lists the originals of a session, newest first."""
        result = self.request("artifact/list", params, timeout=timeout)
        return cast("protocol.List", result)

    def session_open(
        self, params: protocol.OpenParams, *, timeout: float | None = None
    ) -> protocol.Opened:
        """Opens a session, also a closed one. A new session also opens on first use."""
        result = self.request("session/open", params, timeout=timeout)
        return cast("protocol.Opened", result)

    def session_fork(
        self, params: protocol.ForkParams, *, timeout: float | None = None
    ) -> protocol.Forked:
        """Opens a session as a copy of another one; from then on they are independent."""
        result = self.request("session/fork", params, timeout=timeout)
        return cast("protocol.Forked", result)

    def session_close(
        self, params: protocol.SessionParams, *, timeout: float | None = None
    ) -> protocol.Closed:
        """Closes a session: its memory and its originals are dropped."""
        result = self.request("session/close", params, timeout=timeout)
        return cast("protocol.Closed", result)

    def session_stats(
        self, params: protocol.SessionParams, *, timeout: float | None = None
    ) -> protocol.Stats:
        """Totals of a session by tool, family, reducer, status and reason: tokens, savings,
        costs.
        """
        result = self.request("session/stats", params, timeout=timeout)
        return cast("protocol.Stats", result)

    def session_evicted(self, params: protocol.EvictedParams) -> None:
        """Reports which results the model no longer sees, or which are the only ones that it
        still sees.
        """
        self.notify("session/evicted", params)

    def session_compacted(self, params: protocol.CompactedParams) -> None:
        """Reports that a conversation was summarized, cut short or resumed: no result, or only
        those of the named calls, are still visible.
        """
        self.notify("session/compacted", params)

    def session_reclaim(
        self, params: protocol.ReclaimParams, *, timeout: float | None = None
    ) -> protocol.Reclaimable:
        """Returns which results may be removed from the context now, and the texts that replace
        them; none if it does not pay.
        """
        result = self.request("session/reclaim", params, timeout=timeout)
        return cast("protocol.Reclaimable", result)

    def session_reclaimed(
        self, params: protocol.ReclaimedParams, *, timeout: float | None = None
    ) -> protocol.ReclaimedTotals:
        """Confirms a batch of `session/reclaim`: its results leave the context."""
        result = self.request("session/reclaimed", params, timeout=timeout)
        return cast("protocol.ReclaimedTotals", result)

    def config_reload(
        self, params: protocol.ReloadParams, *, timeout: float | None = None
    ) -> protocol.Reloaded:
        """Reads the configuration files again. If one cannot be read, the old settings stay."""
        result = self.request("config/reload", params, timeout=timeout)
        return cast("protocol.Reloaded", result)

    def workspace_did_change_configuration(self, params: protocol.DidChangeParams) -> None:
        """Changes settings for later messages, or reads the configuration files again."""
        self.notify("workspace/didChangeConfiguration", params)


class AsyncMethods:
    """The methods of the protocol, in asyncio form."""

    async def request(self, method: str, params: object = None, *, timeout: float | None = None) -> Any:
        """Calls any method; gives its result as it came."""
        raise NotImplementedError

    async def notify(self, method: str, params: object = None) -> None:
        """Sends any notification."""
        raise NotImplementedError

    async def tool_result_compress(
        self, params: protocol.CompressParams, *, timeout: float | None = None
    ) -> protocol.Compressed:
        """Compresses one tool result."""
        result = await self.request("toolResult/compress", params, timeout=timeout)
        return cast("protocol.Compressed", result)

    async def tool_result_compress_batch(
        self, params: protocol.BatchParams, *, timeout: float | None = None
    ) -> protocol.BatchCompressed:
        """Compresses the tool results of one turn, in order."""
        result = await self.request("toolResult/compressBatch", params, timeout=timeout)
        return cast("protocol.BatchCompressed", result)

    async def tool_result_open(
        self, params: protocol.StreamOpenParams, *, timeout: float | None = None
    ) -> protocol.StreamOpened:
        """Opens a stream for the result of a long command."""
        result = await self.request("toolResult/open", params, timeout=timeout)
        return cast("protocol.StreamOpened", result)

    async def tool_result_append(
        self, params: protocol.AppendParams, *, timeout: float | None = None
    ) -> protocol.Appended:
        """Adds the next output of the command."""
        result = await self.request("toolResult/append", params, timeout=timeout)
        return cast("protocol.Appended", result)

    async def tool_result_peek(
        self, params: protocol.StreamParams, *, timeout: float | None = None
    ) -> protocol.Compressed:
        """Shows the result as if the command ended now; nothing is committed."""
        result = await self.request("toolResult/peek", params, timeout=timeout)
        return cast("protocol.Compressed", result)

    async def tool_result_close(
        self, params: protocol.StreamCloseParams, *, timeout: float | None = None
    ) -> protocol.Compressed:
        """Ends a stream and compresses the result as `toolResult/compress` would have."""
        result = await self.request("toolResult/close", params, timeout=timeout)
        return cast("protocol.Compressed", result)

    async def tool_result_discard(
        self, params: protocol.StreamParams, *, timeout: float | None = None
    ) -> protocol.Discarded:
        """Ends a stream without a result."""
        result = await self.request("toolResult/discard", params, timeout=timeout)
        return cast("protocol.Discarded", result)

    async def messages_compress(
        self, params: protocol.MessagesParams, *, timeout: float | None = None
    ) -> protocol.MessagesCompressed:
        """Compresses the tool results in a whole request body: OpenAI chat and responses,
        Anthropic, Gemini, MCP.
        """
        result = await self.request("messages/compress", params, timeout=timeout)
        return cast("protocol.MessagesCompressed", result)

    async def tool_schema_minify(
        self, params: protocol.ToolSchemaParams, *, timeout: float | None = None
    ) -> protocol.Minified:
        """Minifies the descriptions of tools: removes white space, never words."""
        result = await self.request("toolSchema/minify", params, timeout=timeout)
        return cast("protocol.Minified", result)

    async def rules_check(
        self, params: protocol.RulesCheckParams, *, timeout: float | None = None
    ) -> protocol.RulesChecked:
        """Checks rules of the operator, runs their tests, and explains which rule is used on a
        result.
        """
        result = await self.request("rules/check", params, timeout=timeout)
        return cast("protocol.RulesChecked", result)

    async def artifact_read(
        self, params: protocol.ReadParams, *, timeout: float | None = None
    ) -> protocol.Read:
        """Reads an original back: all of it or some lines, page by page."""
        result = await self.request("artifact/read", params, timeout=timeout)
        return cast("protocol.Read", result)

    async def artifact_search(
        self, params: protocol.SearchParams, *, timeout: float | None = None
    ) -> protocol.Found:
        """Finds lines of an original by a regular expression, with context."""
        result = await self.request("artifact/search", params, timeout=timeout)
        return cast("protocol.Found", result)

    async def artifact_list(
        self, params: protocol.ListParams, *, timeout: float | None = None
    ) -> protocol.List:
        """Lists the originals of a session, newest first."""
        result = await self.request("artifact/list", params, timeout=timeout)
        return cast("protocol.List", result)

    async def session_open(
        self, params: protocol.OpenParams, *, timeout: float | None = None
    ) -> protocol.Opened:
        """Opens a session, also a closed one. A new session also opens on first use."""
        result = await self.request("session/open", params, timeout=timeout)
        return cast("protocol.Opened", result)

    async def session_fork(
        self, params: protocol.ForkParams, *, timeout: float | None = None
    ) -> protocol.Forked:
        """Opens a session as a copy of another one; from then on they are independent."""
        result = await self.request("session/fork", params, timeout=timeout)
        return cast("protocol.Forked", result)

    async def session_close(
        self, params: protocol.SessionParams, *, timeout: float | None = None
    ) -> protocol.Closed:
        """Closes a session: its memory and its originals are dropped."""
        result = await self.request("session/close", params, timeout=timeout)
        return cast("protocol.Closed", result)

    async def session_stats(
        self, params: protocol.SessionParams, *, timeout: float | None = None
    ) -> protocol.Stats:
        """Totals of a session by tool, family, reducer, status and reason: tokens, savings,
        costs.
        """
        result = await self.request("session/stats", params, timeout=timeout)
        return cast("protocol.Stats", result)

    async def session_evicted(self, params: protocol.EvictedParams) -> None:
        """Reports which results the model no longer sees, or which are the only ones that it
        still sees.
        """
        await self.notify("session/evicted", params)

    async def session_compacted(self, params: protocol.CompactedParams) -> None:
        """Reports that a conversation was summarized, cut short or resumed: no result, or only
        those of the named calls, are still visible.
        """
        await self.notify("session/compacted", params)

    async def session_reclaim(
        self, params: protocol.ReclaimParams, *, timeout: float | None = None
    ) -> protocol.Reclaimable:
        """Returns which results may be removed from the context now, and the texts that replace
        them; none if it does not pay.
        """
        result = await self.request("session/reclaim", params, timeout=timeout)
        return cast("protocol.Reclaimable", result)

    async def session_reclaimed(
        self, params: protocol.ReclaimedParams, *, timeout: float | None = None
    ) -> protocol.ReclaimedTotals:
        """Confirms a batch of `session/reclaim`: its results leave the context."""
        result = await self.request("session/reclaimed", params, timeout=timeout)
        return cast("protocol.ReclaimedTotals", result)

    async def config_reload(
        self, params: protocol.ReloadParams, *, timeout: float | None = None
    ) -> protocol.Reloaded:
        """Reads the configuration files again. If one cannot be read, the old settings stay."""
        result = await self.request("config/reload", params, timeout=timeout)
        return cast("protocol.Reloaded", result)

    async def workspace_did_change_configuration(self, params: protocol.DidChangeParams) -> None:
        """Changes settings for later messages, or reads the configuration files again."""
        await self.notify("workspace/didChangeConfiguration", params)
