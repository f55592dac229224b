import { handleEndpoint } from '../../lib/internal.js';
import type { Response } from '../../lib/index.js';
import { sendEndpointResponse, type EndpointRequest } from './cross-origin.js';
import { logServerError } from '../operations/error-log.js';

/** Runs an operation at an endpoint and sends its response, even if the operation fails. It never rejects. */
export async function runEndpoint(
  request: EndpointRequest,
  operation: (response: Response) => Promise<unknown>,
): Promise<void> {
  const { native, endpoint, settings } = request;
  const { response, error } = await handleEndpoint(native, { name: endpoint.name, endpoint, ...settings }, operation);
  if (error) logServerError(error);
  sendEndpointResponse(request, response);
}
