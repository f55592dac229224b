import { publicDocument } from '../../endpoints/public-document.js';
import { capability } from '../../contracts/capability.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import { isPublicUrl } from '../../http/public-url.js';
import { findScopesError } from '../../options/scopes-error.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import { withSigned } from './signed.js';
import { derivedMetadata } from './derived-metadata.js';

/** What `serverMetadata()` takes. */
export interface ServerMetadataOptions {
  /** The scope values that clients may be told of: `scopes_supported`. Default: nothing is said */
  scopes?: readonly string[];
  /**
   * The grant types that clients may be told of. Default: all that the model can serve, the password grant and the implicit
   * one among them; a function says yes to those that are told. What is left out is served as before, to clients that may use it.
   */
  grantTypes?: readonly string[] | ((grantType: string) => boolean);
  /** Seconds in which clients need not ask again. Default: 3600 */
  maxAge?: number;
  /** Members that no server can derive, by their names in RFC 8414 §2: `service_documentation`, `op_policy_uri`, … */
  members?: Readonly<Record<string, unknown>>;
}

/** Returns the metadata of an issuer, as `serverMetadata()` publishes them. */
const METADATA = capability<(issuer: string) => object>('server metadata', 'serverMetadata');

/** Clients find everything by the name of the issuer: its endpoints, and what it can do. RFC 8414 */
export function serverMetadata(options: ServerMetadataOptions = {}): Feature {
  const { maxAge = 3600, members } = options;
  return {
    id: 'serverMetadata',
    specification: 'RFC 8414',
    endpoints: {
      'server-metadata': publicDocument('/.well-known/oauth-authorization-server', {
        maxAge,
        perIssuer: true,
        say: (server, issuer) => withSigned(serverMetadataDocument(server, issuer!), issuer, server),
      }),
    },
    install(builder) {
      builder.provide(METADATA, () => (issuer) => ({
        ...members,
        ...derivedMetadata(builder.server, issuer, options),
      }));
      return { misconfigurations: (server) => configurationErrors(server, options) };
    },
  };
}

/** What a server says of itself, for documents of the same members; as `serverMetadata()` has it where that is listed. */
export function serverMetadataDocument(server: ServerContext, issuer: string): object {
  const metadataOf = server.find(METADATA);
  return metadataOf ? metadataOf(issuer) : derivedMetadata(server, issuer, {});
}

function* configurationErrors(server: ServerContext, options: ServerMetadataOptions): Iterable<string> {
  const { issuer } = server.options;
  const { scopes = [], grantTypes = [], maxAge = 0, members = {} } = options;
  const misspelt = findUnknownOption(options, NAMES, '`serverMetadata()`');
  if (misspelt !== undefined) yield misspelt;
  if (issuer === undefined) {
    yield '`serverMetadata()` needs the option `issuer`: the https URL by which clients know this server';
    return;
  }
  if (!isPublicUrl(issuer)) {
    yield `the \`issuer\` must be an https URL without query and fragment, or an http one of localhost, where \`serverMetadata()\` is listed: \`${issuer}\` is neither`;
    return;
  }
  const fault = findScopesError(scopes, '`serverMetadata()`');
  if (fault !== undefined) yield fault;
  if (!Array.isArray(grantTypes) && typeof grantTypes !== 'function') {
    yield '`grantTypes` of `serverMetadata()` must be a list of grant types';
  }
  if (!(maxAge >= 0)) yield '`maxAge` of `serverMetadata()` must be a number of seconds, 0 or more';
  const derived = derivedMetadata(server, issuer, { ...options, grantTypes: undefined });
  const served = derived['grant_types_supported'] as readonly string[];
  const listed = typeof grantTypes === 'function' ? [] : [grantTypes].flat();
  const unknown = listed.find((type) => !served.includes(type));
  if (unknown !== undefined) yield `\`grantTypes\` of \`serverMetadata()\` lists \`${unknown}\`, which is not served`;
  const own = Object.keys(members).find((name) => Object.hasOwn(derived, name) || RESERVED_MEMBERS.has(name));
  if (own !== undefined) {
    yield `\`members\` of \`serverMetadata()\` has \`${own}\`, ${RESERVED_MEMBERS.get(own) ?? 'which the server says itself: leave it out'}`;
  }
}

const NAMES = { scopes: true, grantTypes: true, maxAge: true, members: true } as const;

/** Members that have a place of their own, or none. */
const RESERVED_MEMBERS = new Map([
  ['scopes_supported', 'whose place is the option `scopes`'],
  ['signed_metadata', 'which must be signed: leave it out'],
]);
