import { handleEndpoint } from '../../lib/adapter/index.js';
import type { Response } from '../../lib/index.js';
import { sendHandled, type Visit } from './cross-origin.js';
import { logFault } from '../operations/fault-log.js';

/** Runs an operation at an endpoint and sends its response, also if it fails. It never rejects. */
export async function answer(visit: Visit, operation: (response: Response) => Promise<unknown>): Promise<void> {
  const { native, endpoint, facts } = visit;
  const { response, error } = await handleEndpoint(native, { name: endpoint.name, endpoint, ...facts }, operation);
  if (error) logFault(error);
  sendHandled(visit, response);
}
