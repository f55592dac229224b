import { type ElicitableCall, INPUT_KEY } from './elicitable-call.js';

/** A page that the user must open before a call can continue. */
export interface UrlElicitation {
  /** Distinguishes the elicitation from others. Only revision 2025-11-25 sends it. */
  readonly elicitationId: string;
  /** The URL of the page. */
  readonly url: string;
  /** Why the user must open it. */
  readonly message: string;
}

/** The result by which a client learns that the user must open a page. MCP 2026-07-28, Multi Round-Trip Requests */
// A type alias, because the result types of the MCP SDK have an index signature.
export type InputRequiredResult = {
  resultType: 'input_required';
  /** The request `elicitation/create`. The types of the SDK also require the `elicitationId` of earlier revisions. */
  // oxlint-disable-next-line no-explicit-any
  inputRequests: Record<string, any>;
};

/** The result of a tool for clients without URL elicitation. */
export type ToolErrorResult = { content: { type: 'text'; text: string }[]; isError: true };

/** The class `UrlElicitationRequiredError` of an MCP SDK. */
export type UrlElicitationError = new (
  elicitations: { mode: 'url'; message: string; url: string; elicitationId: string }[],
  message?: string,
) => Error;

/**
 * Returns the result that sends the user to a page.
 * @param Failure the error class of the SDK, for clients of revision 2025-11-25
 * @throws {Error} If the client expects an error, or the call is no tool and its client does not support elicitation.
 */
export function resultOf(
  { notice, isTool }: ElicitableCall,
  elicitation: UrlElicitation,
  Failure: UrlElicitationError | undefined,
): InputRequiredResult | ToolErrorResult {
  const { elicitationId, url, message } = elicitation;
  if (notice === 'input') {
    const params = { mode: 'url', message, url } as const;
    return {
      resultType: 'input_required',
      inputRequests: { [INPUT_KEY]: { method: 'elicitation/create', params } },
    };
  }
  if (notice === 'error' && Failure) throw new Failure([{ mode: 'url', message, url, elicitationId }], message);
  return failed(isTool, `${message} Open this page in a browser, then call again: ${url}`);
}

/** Returns the result for a user who refused to open the page. */
export const refusedResult = ({ isTool }: ElicitableCall, message: string): ToolErrorResult =>
  failed(isTool, `The user did not open the page. ${message}`);

function failed(isTool: boolean, text: string): ToolErrorResult {
  if (!isTool) throw new Error(text);
  return { content: [{ type: 'text', text }], isError: true };
}
