import { toOAuthError, writeError } from '../../lib/adapter/index.js';
import type { Handler, Request, Response } from '../../lib/index.js';
import { writeInteractionResponse } from '../interaction/interaction-response.js';
import type { Site, PageRequest } from './site.js';

/** An endpoint that returns pages to browsers. If it fails, it returns the error page. */
export abstract class PageEndpoint implements Handler {
  constructor(protected readonly site: Site) {}

  async handle(request: Request, response: Response): Promise<void> {
    const pageRequest = { request, response };
    try {
      await (request.method === 'POST' ? this.post(pageRequest) : this.get(pageRequest));
    } catch (thrown) {
      const error = toOAuthError(thrown);
      writeError(response, error);
      this.site.show('error', { error }, pageRequest, error.code);
      throw error;
    }
  }

  protected abstract get(pageRequest: PageRequest): Promise<void>;
  protected abstract post(pageRequest: PageRequest): Promise<void>;

  /** Redirects with 303, so that the browser fetches the next page after a form. RFC 9700 §4.12 */
  protected goTo(path: string, { response }: PageRequest): void {
    writeInteractionResponse(response, { redirect: path });
    response.status = 303;
  }
}
