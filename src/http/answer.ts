import { answerPreflight } from '../../lib/endpoints/cross-origin.js';
import { toOAuthError } from '../../lib/errors/index.js';
import { InvalidRequestError, Response } from '../../lib/index.js';
import { isPreflight, sendAnswer, type Visit } from './cross-origin.js';
import { reportEndpointRefusal } from '../operations/event-log.js';
import { logFault } from '../operations/fault-log.js';
import { readContent } from './form-body.js';
import { refusal, toOAuthRequest } from './http-adapter.js';

/** Runs an operation at an endpoint and sends what it wrote, refusals and failures too; never throws. */
export async function answer(visit: Visit, operation: (response: Response) => Promise<unknown>): Promise<void> {
  const { native, endpoint, facts } = visit;
  const cors = endpoint.cors === 'any' ? endpoint.cors : endpoint.cors && facts.cors;
  let response = new Response();
  try {
    if (cors && isPreflight(native)) {
      answerPreflight(toOAuthRequest(native), response, endpoint.methods, cors);
    } else {
      verifyMethod(native.method, endpoint.methods);
      await readContent(native, endpoint);
      await operation(response);
    }
  } catch (error) {
    const failure = toOAuthError(error);
    // A page with status 200 takes an error to the client.
    const isPage = typeof response.body === 'string';
    const written = isPage || response.status !== 200 || response.get('location') !== undefined;
    if (!written) {
      response = refusal(failure);
      reportEndpointRefusal(facts.events, { endpoint: endpoint.name }, failure);
    }
    logFault(failure);
    if (response.status === 405) response.set('Allow', endpoint.methods.join(', '));
  }
  sendAnswer(visit, response);
}

function verifyMethod(method: string, methods: readonly string[]): void {
  if (methods.includes(method)) return;
  throw new InvalidRequestError(`Invalid request: method must be ${methods.join(' or ')}`, { code: 405 });
}
