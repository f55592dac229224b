import { readFileSync } from 'node:fs';
import { threadTimes, timeBetween } from '../cpu-time.js';
import { startKeycloak } from './keycloak.js';
import { databases } from './stores.js';
import { watch } from './watch.js';

/** Java and Node compile code while it runs. The warm-up ends after this many token requests or seconds. */
const WARM_UP = { requests: 20_000, seconds: 20, tokens: 1500, refreshes: 300 };

/** Starts Keycloak on the PostgreSQL server of the other deployments. Resolves to `undefined` without Keycloak. */
export async function startKeycloakDeployment({ alg }) {
  const name = `nest-oauth2-capacity-${process.pid}-keycloak-${alg}`;
  const keycloak = await startKeycloak({ databaseUrl: databases.postgres.url, algorithm: alg, name });
  if (!keycloak) return undefined;
  const { url, version, pids, tokenRequest } = keycloak;
  // Its tables are in another database. No table of this database has the prefix.
  const view = await watch('postgres', { name, prefix: name });
  let before;
  return {
    url,
    version,
    requests: { token: () => [tokenRequest], refresh: (amount) => keycloak.refreshRequests(amount) },
    view,
    begin() {
      before = threadTimes(pids());
    },
    end: () => ({ microseconds: timeBetween(before, threadTimes(pids())), memory: pids().map(residentBytes) }),
    async close() {
      await view.close();
      await keycloak.close();
    },
  };
}

/** Sends requests until the compiler of Java or Node has optimised what they need. */
export async function warmUp({ url, requests }, load, connections) {
  const start = performance.now();
  let sent = 0;
  while (sent < WARM_UP.requests && performance.now() - start < WARM_UP.seconds * 1000) {
    for (const [operation, amount] of [
      ['token', WARM_UP.tokens],
      ['refresh', WARM_UP.refreshes],
    ])
      await load.ask({ url, requests: await requests[operation](amount), amount, connections });
    sent += WARM_UP.tokens;
  }
}

function residentBytes(pid) {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kilobytes) * 1024;
}
