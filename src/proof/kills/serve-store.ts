import { Response } from '../../../lib/index.js';
import {
  bearerRequest,
  CheckContext,
  type IssuedCode,
  toOAuthError,
  type TokenResponseBody,
} from '../../../lib/internal.js';
import { type TestSubject, withClockOffset } from '../../../lib/kit/index.js';
import { importFile } from '../../cli/open-target.js';
import type { ProofOptions } from '../proof-options.js';
import { subjectOf } from '../subject.js';
import type { IssuedTokens, StoreFixtures, StoreOperations, StoreOutcome, StoreRequest } from './messages.js';

type Operations = {
  [name in keyof StoreOperations]: (
    argument: StoreOperations[name]['argument'],
  ) => Promise<StoreOperations[name]['result']>;
};

/**
 * Opens the store in this process, and returns the function that carries out operations on it.
 * @throws {Error} If the store does not find the client that another process has saved.
 */
export async function serveStore({ file, place, ahead, ...fixtures }: StoreFixtures) {
  // The clock stays wrong until the process is killed.
  if (ahead !== 0) void withClockOffset(ahead, () => new Promise<never>(() => undefined));
  const { store } = (await importFile(file, 'proof')) as ProofOptions;
  const { model, user, server }: TestSubject = subjectOf(await store!(place));
  const context = new CheckContext({ model, ...fixtures, ...(user && { user }), ...(server && { server }) });
  await context.client();
  const operations: Operations = {
    authorize: async () => (await context.saveCode({}, true)).held,
    redeem: async (code: IssuedCode) => tokensOf(await context.redeem(code)),
    refresh: async (token: string) => tokensOf(await context.refresh(token)),
    async call(token: string) {
      await context.server().authenticate(bearerRequest(token), new Response());
      return true;
    },
  };
  return async ({ operation, argument }: Omit<StoreRequest, 'id'>): Promise<StoreOutcome> => {
    try {
      return { status: 'done', result: await operations[operation](argument as never) };
    } catch (error) {
      const { status, message, inner } = toOAuthError(error);
      return status < 500 ? { status: 'refused' } : { status: 'unknown', reason: inner?.message ?? message };
    }
  };
}

const tokensOf = ({ access_token: access, refresh_token: refresh = '' }: TokenResponseBody): IssuedTokens => ({
  access,
  refresh,
});
