// Measures whether the time of the pages of `accounts()` reveals which addresses have an account:
// `node bench/enumeration.js --requests=10000 --logins=400`. The exit code is 1 if it does.
import 'reflect-metadata';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { OAuth2Module } from 'nest-oauth2';
import { accounts } from 'nest-oauth2/accounts';
import { pages } from 'nest-oauth2/pages';
import { hashPassword, MemoryStore } from 'nest-oauth2/stores/memory';
import { median } from './statistics.js';

/** The background work of a request may delay one of the next requests. */
const LAGS = 10;
/** The number of standard deviations that chance alone does not reach: once in 15,000 comparisons. */
const LIMIT = 4;

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '2000' }, logins: { type: 'string', default: '100' } },
});
const counts = { requests: Number(values.requests), logins: Number(values.logins) };

const nameOf = (kind, index) => `${kind}-${String(index).padStart(6, '0')}@example.com`;
const byEmail = new Map(
  Array.from({ length: counts.requests }, (_, index) => [
    nameOf('known', index),
    { id: `u${index}`, email: nameOf('known', index) },
  ]),
);
const byId = new Map([...byEmail.values()].map((user) => [user.id, user]));
const users = {
  findById: async (id) => byId.get(id),
  findByEmail: async (email) => byEmail.get(email),
  create: async () => undefined,
};

const model = new MemoryStore({ users });
const hash = JSON.stringify({ hash: await hashPassword('violet kettle on the moor') });
for (const { id } of byEmail.values())
  await model.addCredential({ realm: '', userId: id }, { kind: 'password', key: id, data: hash });

class Application {}
Module({
  imports: [
    OAuth2Module.forRoot({
      model,
      issuer: 'http://127.0.0.1:3000',
      secret: 'a secret of the benchmark, which is long enough',
      features: [pages(), accounts({ users, mail: { send: async () => undefined } })],
    }),
  ],
})(Application);
const application = await NestFactory.create(Application, { logger: false });
application.set('trust proxy', true);
await application.listen(0, '127.0.0.1');
const url = await application.getUrl();

/** Opens a page, and returns a function that sends its form and returns the milliseconds until the response. */
async function open(path, fields) {
  const shown = await fetch(url + path);
  const html = await shown.text();
  const cookie = shown.headers.getSetCookie().map((line) => line.split(';', 1)[0]);
  const hidden = Object.fromEntries(
    [...html.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  let sent = 0;
  return async (email, expected) => {
    sent += 1;
    // Each request comes from another network, so that no limit is reached.
    const address = `198.${18 + (sent >> 16)}.${(sent >> 8) & 255}.${sent & 255}`;
    const headers = { cookie: cookie.join('; '), 'x-forwarded-for': address };
    const body = new URLSearchParams({ ...hidden, ...fields(email) });
    const start = performance.now();
    const response = await fetch(url + path, { method: 'POST', headers, body, redirect: 'manual' });
    await response.arrayBuffer();
    const time = performance.now() - start;
    if (response.status !== expected) throw new Error(`${path} responded with ${response.status}`);
    return time;
  };
}

/** Returns the standard deviations by which the ranks of two samples differ from chance: the Mann-Whitney test. */
function deviation(one, other) {
  const all = [...one.map((time) => [time, 1]), ...other.map((time) => [time, 0])].toSorted(([a], [b]) => a - b);
  const ranks = all.reduce((sum, [, isOne], rank) => sum + isOne * (rank + 1), 0);
  const [n, m] = [one.length, other.length];
  return (ranks - (n * (n + m + 1)) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}

async function measure(title, path, { count, expected, fields, lags = LAGS }) {
  const send = await open(path, fields);
  for (let index = 0; index < Math.min(50, count); index += 1) await send(nameOf('other', index), expected);
  const runs = [];
  for (let index = 0; index < count; index += 1) {
    const isKnown = randomInt(2) === 1;
    runs.push({ isKnown, time: await send(nameOf(isKnown ? 'known' : 'ghost', index), expected) });
  }
  const timesOf = (isKnown, lag) =>
    runs.flatMap((run, index) => (run.isKnown === isKnown && runs[index + lag] ? runs[index + lag].time : []));
  const results = Array.from({ length: lags + 1 }, (_, lag) => deviation(timesOf(true, lag), timesOf(false, lag)));
  const worst = results.map(Math.abs).indexOf(Math.max(...results.map(Math.abs)));
  const [known, unknown] = [true, false].map((isKnown) => median(timesOf(isKnown, worst)));
  const text = `${title}: ${count} requests, median ${median(runs.map(({ time }) => time)).toFixed(2)} ms`;
  console.log(
    `${text}; the response itself ${results[0].toFixed(1)} σ; worst ${results[worst].toFixed(1)} σ ` +
      `${worst === 0 ? 'at the response' : `at response ${worst} after it`} ` +
      `(known ${known.toFixed(3)} ms, unknown ${unknown.toFixed(3)} ms)`,
  );
  return Math.abs(results[worst]) < LIMIT;
}

const email = (typed) => ({ email: typed });
const wrong = (username) => ({ username, password: 'not the password' });
const isEqual = [
  await measure('Reset', '/oauth/forgot_password', { count: counts.requests, expected: 200, fields: email }),
  await measure('Sign-up', '/oauth/sign_up', { count: counts.requests, expected: 200, fields: email }),
  await measure('Wrong password', '/oauth/login', { count: counts.logins, expected: 401, fields: wrong, lags: 0 }),
];
await application.close();
process.exitCode = isEqual.every(Boolean) ? 0 : 1;
