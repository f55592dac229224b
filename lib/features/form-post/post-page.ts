import { hash } from 'node:crypto';

import { escapeHtml } from '../../http/escape-html.js';
import type { Response } from '../../http/response.js';
import type { OutgoingResponse } from '../../contracts/response-mode.js';

/** The only script of the form post page, and the only one that its Content Security Policy allows. */
const SCRIPT = 'document.forms[0].submit()';

/**
 * The headers of the form post page. `form-action` is omitted, because Chromium applies it to all redirects after the
 * form. The page has only one form, and all its values are escaped.
 */
const HEADERS = {
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'sha256-${hash('sha256', SCRIPT, 'base64')}'`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Writes the page that posts an authorization response to the client: by a script, or by a button if scripts are
 * disabled. Form Post Response Mode §2
 */
export function writePostPage(
  response: Response,
  { redirectUri, parameters }: Pick<OutgoingResponse, 'redirectUri' | 'parameters'>,
): void {
  const fields = Object.entries(parameters).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  Object.assign(response.headers, HEADERS);
  response.status = 200;
  response.body = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Continue</title>
</head>
<body>
<form method="post" action="${escapeHtml(redirectUri)}">
${fields.join('\n')}
<button>Continue</button>
</form>
<script>${SCRIPT}</script>
</body>
</html>
`;
}
