import { newClientSecret } from 'nest-oauth2/stores/memory';
import { OAuth2Server, Request, Response } from 'nest-oauth2/server';
import { challenge, redirectUri, requiredScope, verifier } from '../fixtures.js';
import { guardedRequest, tokenRequest } from '../requests.js';
import { keptClient, user } from './fixtures.js';
import { openStore } from './kinds.js';
import { proxied } from './proxy.js';
import { url as redisUrl } from './redis.js';
import { urls } from './typeorm.js';

const addresses = { ...urls, redis: redisUrl };
const TRANSACTION = /^\s*(BEGIN|START TRANSACTION|COMMIT|ROLLBACK)/i;

/** Counts the statements and round trips of one operation with a database that also stores the clients. */
export async function countStatements(kind, { brief }) {
  const repeated = brief ? 1 : 5;
  const counter = { statements: 0, roundTrips: 0 };
  const proxy = addresses[kind] && (await proxied(addresses[kind], () => counter.roundTrips++));
  const logger = loggerOf((text) => TRANSACTION.test(text) || counter.statements++);
  // A single connection, so that no statement is prepared twice.
  const opened = await openStore(kind, { url: proxy?.url, connections: 1, logger });
  try {
    const { secret, secretHash } = newClientSecret();
    const client = keptClient('counted', secretHash);
    const operations = operationsOf(await opened.storeWith([client]), { ...client, secret });
    const counts = {};
    for (const [name, prepare] of Object.entries(operations)) {
      const runs = [];
      for (let run = 0; run <= repeated; run++) {
        const operate = await prepare();
        const before = { ...counter };
        await operate();
        runs.push([counter.statements - before.statements, counter.roundTrips - before.roundTrips]);
      }
      // The first run prepares the statements. If the numbers of the others differ, all are listed.
      const [statements, roundTrips] = [0, 1].map((index) => [...new Set(runs.slice(1).map((run) => run[index]))]);
      counts[name] = {
        statements: kind === 'redis' ? undefined : statements.join('–'),
        roundTrips: proxy && roundTrips.join('–'),
      };
    }
    return counts;
  } finally {
    await opened.close();
    proxy?.close();
  }
}

/** The operations. Each function prepares the data and returns the counted step. */
function operationsOf(store, client) {
  const server = new OAuth2Server({ model: store, authenticateHandler: { handle: async () => user } });
  const token = (body) => server.token(new Request(tokenRequest(body, client)), new Response());
  const redeeming = async () => {
    const code = await server.authorize(
      new Request({
        method: 'GET',
        headers: {},
        body: {},
        query: {
          response_type: 'code',
          client_id: client.id,
          redirect_uri: redirectUri,
          scope: requiredScope,
          state: 'xyz',
          code_challenge: challenge,
          code_challenge_method: 'S256',
        },
      }),
      new Response(),
    );
    return {
      grant_type: 'authorization_code',
      code: code.authorizationCode,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    };
  };
  return {
    async authenticate() {
      const { accessToken } = await token(await redeeming());
      return () =>
        server.authenticate(new Request(guardedRequest(accessToken)), new Response(), { scope: requiredScope });
    },
    async redeem() {
      const body = await redeeming();
      return () => token(body);
    },
    async refresh() {
      const { refreshToken } = await token(await redeeming());
      return () => token({ grant_type: 'refresh_token', refresh_token: refreshToken });
    },
    client_credentials: async () => () => token({ grant_type: 'client_credentials', scope: requiredScope }),
  };
}

function loggerOf(see) {
  const ignore = () => undefined;
  return {
    logQuery: see,
    logQueryError: ignore,
    logQuerySlow: ignore,
    logSchemaBuild: ignore,
    logMigration: ignore,
    log: ignore,
  };
}
