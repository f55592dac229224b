import { parseArgs } from 'node:util';
import autocannon from 'autocannon';

// Sends requests to a deployment and compares the results with limits. See README.md.

const USAGE = `node bench/load.js --url <URL> [options]

  --url          a guarded route for --token, or the token endpoint for --client
  --token        the access token of guarded requests. Default: the environment variable LOAD_TOKEN
  --client       id:secret of a client, which requests tokens by client_credentials. Default: LOAD_CLIENT
  --scope        the requested scope of --client
  --connections  number of connections. Default: 16
  --seconds      duration. A tenth of it is sent before as a warm-up. Default: 10
  --min-rate     minimum requests per second
  --max-p50, --max-p99   maximum milliseconds of a response
  --max-errors   maximum number of responses other than 2xx, failed connections and timeouts. Default: 0

The exit code is 1 if a limit is not met.`;

const text = { type: 'string' };
const { values } = parseArgs({
  options: {
    url: text,
    token: { ...text, default: process.env.LOAD_TOKEN },
    client: { ...text, default: process.env.LOAD_CLIENT },
    scope: text,
    connections: { ...text, default: '16' },
    seconds: { ...text, default: '10' },
    'min-rate': text,
    'max-p50': text,
    'max-p99': text,
    'max-errors': { ...text, default: '0' },
    help: { type: 'boolean' },
  },
});

const { url, token, client } = values;
if (values.help || !url || Boolean(token) === Boolean(client)) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const numberOf = (name) => {
  const value = Number(values[name]);
  if (!(value >= 0)) throw new Error(`--${name} must be a number that is not negative. Got ${values[name]}.`);
  return value;
};
const setting = { url, connections: numberOf('connections'), requests: [token ? guarded() : tokenRequest()] };
const seconds = numberOf('seconds');

await autocannon({ ...setting, duration: Math.max(1, Math.round(seconds / 10)) });
const result = await autocannon({ ...setting, duration: seconds });

const measured = {
  rate: result.requests.average,
  p50: result.latency.p50,
  p99: result.latency.p99,
  errors: result.non2xx + result.errors,
};
const limits = [
  ['requests per second', measured.rate, 'min-rate', (value, limit) => value >= limit],
  ['p50 in milliseconds', measured.p50, 'max-p50', (value, limit) => value <= limit],
  ['p99 in milliseconds', measured.p99, 'max-p99', (value, limit) => value <= limit],
  ['errors', measured.errors, 'max-errors', (value, limit) => value <= limit],
];
for (const [title, value, name, holds] of limits) {
  const hasLimit = values[name] !== undefined;
  const isMet = !hasLimit || holds(value, numberOf(name));
  console.log(`${title}: ${value}${hasLimit ? ` (--${name} ${values[name]}${isMet ? '' : ', not met'})` : ''}`);
  if (!isMet) process.exitCode = 1;
}

function guarded() {
  return { method: 'GET', headers: { authorization: `Bearer ${token}` } };
}

/** Returns a token request. The client is authenticated by HTTP Basic, with form-encoded ID and secret. RFC 6749 §2.3.1 */
function tokenRequest() {
  const [id, ...secret] = client.split(':');
  const basic = [id, secret.join(':')].map((part) => new URLSearchParams({ part }).toString().slice('part='.length));
  const form = { grant_type: 'client_credentials', ...(values.scope !== undefined && { scope: values.scope }) };
  return {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(basic.join(':')).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
  };
}
