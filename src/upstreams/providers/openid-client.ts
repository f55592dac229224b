import type * as OpenIdClient from 'openid-client';

import { configurationError, FetchError } from '../../../lib/internal.js';
import { optionalPackage } from '../../configuration/optional-package.js';
import { causesOf } from './causes.js';
import { isUnavailable } from './upstream-fetch.js';

/** The library that sends the requests to providers. */
export type Library = typeof OpenIdClient;

/** Loads `openid-client`, which only `upstreams()` needs. */
export const loadLibrary = optionalPackage<Library>(
  () => import('openid-client'),
  ({ message }) =>
    configurationError(
      `\`upstreams()\` requires the package \`openid-client\`: run \`npm install openid-client\`. ${message}`,
    ),
);

/**
 * Throws the error of a failed discovery, with the remedy if the provider responds and its metadata are wrong.
 * @throws {Error} Always.
 */
export function rejectDiscovery(issuer: string, error: unknown): never {
  if (isUnavailable(error) || causesOf(error).some((cause) => cause instanceof FetchError)) throw error;
  const problem = `The metadata of the provider ${issuer} are invalid: ${(error as Error).message}`;
  const remedy = 'Set `issuer` to the URL that its /.well-known/openid-configuration contains as `issuer`';
  throw new Error(`${problem}. ${remedy}`, { cause: error });
}
