import { Response } from '../../../lib/index.js';
import { sendOAuthResponse } from '../../http/http-adapter.js';
import { writeInteractionResponse } from '../../interaction/interaction-response.js';
import type { NativeReply } from '../../http/native-reply.js';
import { type Look, type PageContent, PageRenderer, type RenderedPage } from './page-renderer.js';

/**
 * Renders a page of the application in the look of the ready-made pages, with the same document, style and Content
 * Security Policy. `title` and a `main` that is text are escaped. Use the tag `html` for markup.
 * @param look the look of the page, as in `pages()`. If omitted, the default look.
 * @returns a page for `sendPage()` or for the response of an interaction
 * @throws {InvalidArgumentError} If `look` contains an invalid style sheet or language.
 */
export const page = (content: PageContent, look: Look = {}): RenderedPage => new PageRenderer(look).page(content);

/**
 * Sends a page through the response of Express or the reply of Fastify, with headers that keep it out of caches and
 * frames.
 */
export function sendPage(reply: NativeReply, shown: RenderedPage): void {
  const response = new Response();
  writeInteractionResponse(response, shown);
  sendOAuthResponse(response, reply);
}
