import type { CommandOption, CommandArguments } from './command.js';
import { UsageError } from './command.js';

const text = (value: string, about: string): CommandOption => ({ type: 'string', value, description: about });
const list = (value: string, about: string): CommandOption => ({
  type: 'string',
  multiple: true,
  value,
  description: about,
});
const flag = (about: string): CommandOption => ({ type: 'boolean', description: about });

/** The command-line options of `clients create` and `clients change` that set the fields of a client. */
export const CLIENT_OPTIONS: Readonly<Record<string, CommandOption>> = {
  name: text('<text>', 'the name of the client that users see'),
  grant: list('<type>', 'a grant type the client may use; can be repeated'),
  'redirect-uri': list('<uri>', 'a redirect URI of the client; can be repeated'),
  scope: list('<value>', 'a scope the client may request; can be repeated'),
  'default-scope': text('<scope>', 'the scope granted if the client requests none'),
  public: flag('makes it a public client without a secret: an application in a browser or on a device'),
  'auth-method': text('<method>', 'the client authentication method (`tokenEndpointAuthMethod`)'),
  native: flag('makes it a native application (`applicationType`)'),
  consent: text('<when>', 'when users are asked for consent: never, once or always'),
  origin: list('<origin>', 'an origin whose pages may send requests as this client (CORS); can be repeated'),
  resource: list('<uri>', 'the URI of an API that introspects its access tokens as this client; can be repeated'),
  'access-token-lifetime': text('<seconds>', 'the lifetime of the access tokens of the client'),
  'refresh-token-lifetime': text('<seconds>', 'the lifetime of the refresh tokens of the client'),
  set: list('<field>=<json>', 'any other field, with its value as JSON; can be repeated'),
};

export const SECRET_LIFETIME = text(
  '<seconds>',
  'the lifetime of the new secret. If omitted, the secret never expires',
);
export const OVERLAP = text('<seconds>', 'how long the previous secrets stay valid. Default: 86400, one day');
export const UNSET = list('<field>', 'removes a field of the client; can be repeated');
export const LIST_OPTIONS: Readonly<Record<string, CommandOption>> = {
  search: text('<text>', 'only clients whose id or name contains this text'),
  disabled: flag('only disabled clients'),
  active: flag('only clients that are not disabled'),
  limit: text('<count>', 'maximum number of clients, 1 to 1000. If omitted, all are listed'),
  after: text('<client id>', 'lists only the clients after the client with this id'),
};

/**
 * Returns the client fields that were set on the command line.
 * @throws {UsageError} If a value is invalid.
 */
export function fieldsOf(args: CommandArguments): Record<string, unknown> {
  const method = args.isSet('public') ? 'none' : args.text('auth-method');
  const fields: Record<string, unknown> = {
    name: args.text('name'),
    grants: args.list('grant'),
    redirectUris: args.list('redirect-uri'),
    scopes: args.list('scope')?.flatMap((values) => values.split(' ').filter(Boolean)),
    defaultScope: args.text('default-scope'),
    tokenEndpointAuthMethod: method,
    applicationType: args.isSet('native') ? 'native' : undefined,
    consent: args.text('consent'),
    allowedOrigins: args.list('origin'),
    resources: args.list('resource'),
    accessTokenLifetime: args.number('access-token-lifetime'),
    refreshTokenLifetime: args.number('refresh-token-lifetime'),
  };
  const set = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...set, ...(args.list('set') ?? []).map(field)]);
}

function field(assignment: string): [string, unknown] {
  const [, name, json] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  try {
    return [name!, JSON.parse(json!)];
  } catch {
    // The message omits the value: it may be a secret, and the output may be logged.
    const about = name === undefined ? '--set' : `--set ${name}=…`;
    throw new UsageError(`\`${about}\` must be a field and its value as JSON: --set logoUri='"https://…"'`);
  }
}
