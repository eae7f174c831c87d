/**
 * One method for each method of the protocol, version 1.
 *
 * Generated from the schema of the protocol; not to be edited.
 */

import type * as protocol from "./protocol.js";

/** Parameters and result of every request, by its name. */
export interface Requests {
  /** Compresses one tool result. */
  "toolResult/compress": { params: protocol.CompressParams; result: protocol.Compressed };
  /** Compresses the tool results of one turn, in order. */
  "toolResult/compressBatch": { params: protocol.BatchParams; result: protocol.BatchCompressed };
  /** Opens a stream for the result of a long command. */
  "toolResult/open": { params: protocol.StreamOpenParams; result: protocol.StreamOpened };
  /** Adds the next output of the command. */
  "toolResult/append": { params: protocol.AppendParams; result: protocol.Appended };
  /** Shows the result as if the command ended now; nothing is committed. */
  "toolResult/peek": { params: protocol.StreamParams; result: protocol.Compressed };
  /** Ends a stream and compresses the result as `toolResult/compress` would have. */
  "toolResult/close": { params: protocol.StreamCloseParams; result: protocol.Compressed };
  /** Ends a stream without a result. */
  "toolResult/discard": { params: protocol.StreamParams; result: protocol.Discarded };
  /**
   * Compresses the tool results in a whole request body: OpenAI chat and responses, Anthropic,
   * Gemini, MCP.
   */
  "messages/compress": { params: protocol.MessagesParams; result: protocol.MessagesCompressed };
  /** Minifies the descriptions of tools: removes white space, never words. */
  "toolSchema/minify": { params: protocol.ToolSchemaParams; result: protocol.Minified };
  /**
   * Checks rules of the operator, runs their tests, and explains which rule is used on a result.
   */
  "rules/check": { params: protocol.RulesCheckParams; result: protocol.RulesChecked };
  /** Reads an original back: all of it or some lines, page by page. */
  "artifact/read": { params: protocol.ReadParams; result: protocol.Read };
  /** Finds lines of an original by a regular expression, with context. */
  "artifact/search": { params: protocol.SearchParams; result: protocol.Found };
  /** Lists the originals of a session, newest first. */
  "artifact/list": { params: protocol.ListParams; result: protocol.List };
  /** Opens a session, also a closed one. A new session also opens on first use. */
  "session/open": { params: protocol.OpenParams; result: protocol.Opened };
  /** Opens a session as a copy of another one; from then on they are independent. */
  "session/fork": { params: protocol.ForkParams; result: protocol.Forked };
  /** Closes a session: its memory and its originals are dropped. */
  "session/close": { params: protocol.SessionParams; result: protocol.Closed };
  /** Totals of a session by tool, family, reducer, status and reason: tokens, savings, costs. */
  "session/stats": { params: protocol.SessionParams; result: protocol.Stats };
  /**
   * Returns which results may be removed from the context now, and the texts that replace them;
   * none if it does not pay.
   */
  "session/reclaim": { params: protocol.ReclaimParams; result: protocol.Reclaimable };
  /** Confirms a batch of `session/reclaim`: its results leave the context. */
  "session/reclaimed": { params: protocol.ReclaimedParams; result: protocol.ReclaimedTotals };
  /** Reads the configuration files again. If one cannot be read, the old settings stay. */
  "config/reload": { params: protocol.ReloadParams; result: protocol.Reloaded };
}

/** Parameters of every notification, by its name. */
export interface Notifications {
  /**
   * Reports which results the model no longer sees, or which are the only ones that it still sees.
   */
  "session/evicted": { params: protocol.EvictedParams };
  /**
   * Reports that a conversation was summarized, cut short or resumed: no result, or only those of
   * the named calls, are still visible.
   */
  "session/compacted": { params: protocol.CompactedParams };
  /** Changes settings for later messages, or reads the configuration files again. */
  "workspace/didChangeConfiguration": { params: protocol.DidChangeParams };
}

/** What may be said of one request. */
export interface RequestOptions {
  /** Milliseconds after which the request is cancelled; the client's own setting where absent. */
  timeout?: number | undefined;
  /** Cancels the request when it is aborted. */
  signal?: AbortSignal | undefined;
}

/** The methods of the protocol. */
export abstract class Methods {
  /** Calls any request of the protocol. */
  abstract request<M extends keyof Requests>(
    method: M,
    params: Requests[M]["params"],
    options?: RequestOptions,
  ): Promise<Requests[M]["result"]>;

  /** Sends any notification of the protocol. */
  abstract notify<M extends keyof Notifications>(
    method: M,
    params: Notifications[M]["params"],
  ): Promise<void>;

  /** Compresses one tool result. */
  toolResultCompress(params: protocol.CompressParams, options?: RequestOptions): Promise<protocol.Compressed> {
    return this.request("toolResult/compress", params, options);
  }

  /** Compresses the tool results of one turn, in order. */
  toolResultCompressBatch(params: protocol.BatchParams, options?: RequestOptions): Promise<protocol.BatchCompressed> {
    return this.request("toolResult/compressBatch", params, options);
  }

  /** Opens a stream for the result of a long command. */
  toolResultOpen(params: protocol.StreamOpenParams, options?: RequestOptions): Promise<protocol.StreamOpened> {
    return this.request("toolResult/open", params, options);
  }

  /** Adds the next output of the command. */
  toolResultAppend(params: protocol.AppendParams, options?: RequestOptions): Promise<protocol.Appended> {
    return this.request("toolResult/append", params, options);
  }

  /** Shows the result as if the command ended now; nothing is committed. */
  toolResultPeek(params: protocol.StreamParams, options?: RequestOptions): Promise<protocol.Compressed> {
    return this.request("toolResult/peek", params, options);
  }

  /** Ends a stream and compresses the result as `toolResult/compress` would have. */
  toolResultClose(params: protocol.StreamCloseParams, options?: RequestOptions): Promise<protocol.Compressed> {
    return this.request("toolResult/close", params, options);
  }

  /** Ends a stream without a result. */
  toolResultDiscard(params: protocol.StreamParams, options?: RequestOptions): Promise<protocol.Discarded> {
    return this.request("toolResult/discard", params, options);
  }

  /**
   * Compresses the tool results in a whole request body: OpenAI chat and responses, Anthropic,
   * Gemini, MCP.
   */
  messagesCompress(params: protocol.MessagesParams, options?: RequestOptions): Promise<protocol.MessagesCompressed> {
    return this.request("messages/compress", params, options);
  }

  /** Minifies the descriptions of tools: removes white space, never words. */
  toolSchemaMinify(params: protocol.ToolSchemaParams, options?: RequestOptions): Promise<protocol.Minified> {
    return this.request("toolSchema/minify", params, options);
  }

  /**
   * Checks rules of the operator, runs their tests, and explains which rule is used on a result.
   */
  rulesCheck(params: protocol.RulesCheckParams, options?: RequestOptions): Promise<protocol.RulesChecked> {
    return this.request("rules/check", params, options);
  }

  /** Reads an original back: all of it or some lines, page by page. */
  artifactRead(params: protocol.ReadParams, options?: RequestOptions): Promise<protocol.Read> {
    return this.request("artifact/read", params, options);
  }

  /** Finds lines of an original by a regular expression, with context. */
  artifactSearch(params: protocol.SearchParams, options?: RequestOptions): Promise<protocol.Found> {
    return this.request("artifact/search", params, options);
  }

  /** Lists the originals of a session, newest first. */
  artifactList(params: protocol.ListParams, options?: RequestOptions): Promise<protocol.List> {
    return this.request("artifact/list", params, options);
  }

  /** Opens a session, also a closed one. A new session also opens on first use. */
  sessionOpen(params: protocol.OpenParams, options?: RequestOptions): Promise<protocol.Opened> {
    return this.request("session/open", params, options);
  }

  /** Opens a session as a copy of another one; from then on they are independent. */
  sessionFork(params: protocol.ForkParams, options?: RequestOptions): Promise<protocol.Forked> {
    return this.request("session/fork", params, options);
  }

  /** Closes a session: its memory and its originals are dropped. */
  sessionClose(params: protocol.SessionParams, options?: RequestOptions): Promise<protocol.Closed> {
    return this.request("session/close", params, options);
  }

  /** Totals of a session by tool, family, reducer, status and reason: tokens, savings, costs. */
  sessionStats(params: protocol.SessionParams, options?: RequestOptions): Promise<protocol.Stats> {
    return this.request("session/stats", params, options);
  }

  /**
   * Reports which results the model no longer sees, or which are the only ones that it still sees.
   */
  sessionEvicted(params: protocol.EvictedParams): Promise<void> {
    return this.notify("session/evicted", params);
  }

  /**
   * Reports that a conversation was summarized, cut short or resumed: no result, or only those of
   * the named calls, are still visible.
   */
  sessionCompacted(params: protocol.CompactedParams): Promise<void> {
    return this.notify("session/compacted", params);
  }

  /**
   * Returns which results may be removed from the context now, and the texts that replace them;
   * none if it does not pay.
   */
  sessionReclaim(params: protocol.ReclaimParams, options?: RequestOptions): Promise<protocol.Reclaimable> {
    return this.request("session/reclaim", params, options);
  }

  /** Confirms a batch of `session/reclaim`: its results leave the context. */
  sessionReclaimed(params: protocol.ReclaimedParams, options?: RequestOptions): Promise<protocol.ReclaimedTotals> {
    return this.request("session/reclaimed", params, options);
  }

  /** Reads the configuration files again. If one cannot be read, the old settings stay. */
  configReload(params: protocol.ReloadParams, options?: RequestOptions): Promise<protocol.Reloaded> {
    return this.request("config/reload", params, options);
  }

  /** Changes settings for later messages, or reads the configuration files again. */
  workspaceDidChangeConfiguration(params: protocol.DidChangeParams): Promise<void> {
    return this.notify("workspace/didChangeConfiguration", params);
  }
}
