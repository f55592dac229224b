import { startDeployment } from './deployment.js';
import { startKeycloakDeployment, warmUp } from './keycloak-deployment.js';
import { measureRounds, timesTheCpu } from './rounds.js';

const ALGORITHMS = ['ES256', 'RS256'];
const OPERATIONS = ['token', 'refresh'];
/** Keycloak creates a session for each refresh token before a round, which takes longer than the round. */
const AMOUNTS = { token: 1500, refresh: 800 };

/**
 * Measures Keycloak and this library alternately, with access tokens that are signed with the same algorithm. Resolves to
 * `undefined` without Keycloak.
 */
export async function compareKeycloak(load, setting) {
  const deployments = [];
  try {
    // One after the other, because the first start installs Keycloak.
    for (const alg of ALGORITHMS) {
      deployments.push(await started(`keycloak-${alg}`, { alg, isKeycloak: true }, startKeycloakDeployment));
      deployments.push(await started(`nest-${alg}`, { alg, kind: 'postgres', platform: 'fastify' }, startDeployment));
    }
    const keycloaks = deployments.filter(({ isKeycloak }) => isKeycloak);
    if (keycloaks.some(({ server }) => !server)) return undefined;
    for (const { server } of deployments) await warmUp(server, load, setting.connections);
    const rows = await measureRounds(deployments, load, { ...setting, amounts: AMOUNTS });
    return { version: keycloaks[0].server.version, amounts: AMOUNTS, rows, ratios: ratiosOf(rows) };
  } finally {
    for (const { server } of deployments) await server?.close();
  }
}

async function started(name, options, start) {
  const { alg, isKeycloak = false } = options;
  return { name, title: name, operations: OPERATIONS, alg, isKeycloak, server: await start(options) };
}

/** How many times the CPU of this library Keycloak uses, by operation and algorithm. */
function ratiosOf(rows) {
  const row = (name, operation) => rows.find((one) => one.name === name && one.operation === operation);
  const ratio = (alg, operation) => timesTheCpu(row(`keycloak-${alg}`, operation), row(`nest-${alg}`, operation));
  const byAlgorithm = (operation) => Object.fromEntries(ALGORITHMS.map((alg) => [alg, ratio(alg, operation)]));
  return Object.fromEntries(OPERATIONS.map((operation) => [operation, byAlgorithm(operation)]));
}
