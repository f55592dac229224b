import { reasonOfAbsence } from '../absence.js';
import { startChild } from '../children.js';
import { compareKeycloak } from './compare-keycloak.js';
import { CONNECTIONS, FILLED, startDeployment } from './deployment.js';
import { briefGroup, groups, LIMITED } from './deployments.js';
import { measureRounds, timesTheCpu } from './rounds.js';
import { databases } from './stores.js';
import { hashingTime } from './users.js';

const settings = {
  full: {
    warmUps: 2,
    rounds: 5,
    connections: 16,
    amounts: { token: 2500, refresh: 1500, code: 800, login: 32, guarded: 6000, first: 2000 },
    hashes: 8,
    filled: FILLED,
  },
  brief: {
    warmUps: 0,
    rounds: 1,
    connections: 4,
    amounts: { token: 40, refresh: 40, code: 20, login: 2, guarded: 40, first: 20 },
    hashes: 1,
    filled: 50,
  },
};
/** Measures what requests cost on each database. Databases that are not available are skipped. */
export async function measureCapacity({ brief }) {
  const { hashes, ...setting } = settings[brief ? 'brief' : 'full'];
  const available = await findDatabases();
  if (available.length === 0) return undefined;
  const load = await startChild('http/load.js');
  const measure = (group) => measureGroup(group, load, setting);
  const result = { ...setting, poolSize: CONNECTIONS, nodeOptions: LIMITED, rows: [], versions: {} };
  for (const [name, group] of Object.entries(brief ? { brief: briefGroup } : groups)) {
    const usable = group.filter(({ options: { kind } }) => !kind || available.includes(kind));
    if (!usable.some(({ options: { kind } }) => kind)) continue;
    const { rows, versions } = await measure(usable);
    result.rows.push(...rows);
    Object.assign(result.versions, versions);
    if (name === 'postgres') result.ratios = ratiosOf(rows);
  }
  result.hashing = await hashingTime(hashes);
  if (available.includes('postgres') && !brief) result.keycloak = await compareKeycloak(load, setting);
  load.stop();
  return result;
}

/** Starts the deployments, measures them alternately, and removes their data. */
async function measureGroup(group, load, setting) {
  const starting = group.map(async ({ name, title, options, operations }) => {
    const { kind, platform } = options;
    const server = await startDeployment({ ...options, filled: setting.filled });
    return { name, title, operations, kind, platform, server };
  });
  try {
    const started = await Promise.all(starting);
    const versions = started.filter(({ kind }) => kind).map(({ kind, server }) => [kind, server.view.version]);
    return { rows: await measureRounds(started, load, setting), versions: Object.fromEntries(versions) };
  } finally {
    const settled = await Promise.allSettled(starting);
    await Promise.all(settled.map(({ value }) => value?.server.close()));
  }
}

/** The CPU of a token request with signed access tokens, compared with opaque ones in the same rounds. */
function ratiosOf(rows) {
  const row = (name) => rows.find((one) => one.name === name && one.operation === 'token');
  return { ES256: timesTheCpu(row('ES256'), row('opaque')), RS256: timesTheCpu(row('RS256'), row('opaque')) };
}

async function findDatabases() {
  const available = [];
  for (const [kind, { title, url }] of Object.entries(databases)) {
    const reason = await reasonOfAbsence(url);
    if (reason) console.log(`\nCapacity on ${title}: skipped, ${reason}`);
    else available.push(kind);
  }
  return available;
}
