import { publicDocument } from '../../endpoints/public-document.js';
import type { Feature, ServerContext } from '../../contracts/feature.js';
import { isPublicUrl } from '../../http/public-url.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { accepts, OBJECT, SCOPES, SECONDS_FROM_0 } from '../../options/value-checks.js';
import { withSigned } from './signed.js';
import { derivedMetadata, METADATA, serverMetadataDocument } from './derived-metadata.js';

/** The options of `serverMetadata()`. */
export interface ServerMetadataOptions {
  /** The scope values to publish as `scopes_supported`. If omitted, the member is not published. */
  scopes?: readonly string[];
  /**
   * The grant types to publish: a list, or a function that returns whether to publish a grant type. Other grant types
   * remain available to clients that may use them. If omitted, all that the model supports are published, except the
   * password grant and the implicit grant, which OAuth 2.1 removed. `() => true` publishes these too.
   */
  grantTypes?: readonly string[] | ((grantType: string) => boolean);
  /** Seconds for which clients may cache the document. Default: `3600`. */
  maxAge?: number;
  /**
   * Further members that the server cannot derive, by their names in RFC 8414 §2, such as `service_documentation` or
   * `op_policy_uri`.
   */
  members?: Readonly<Record<string, unknown>>;
}

/**
 * Publishes the metadata of the authorization server, by which clients discover its endpoints and features from the
 * issuer alone. RFC 8414
 */
export function serverMetadata(options: ServerMetadataOptions = {}): Feature {
  const { maxAge, members } = OPTIONS.settle(options);
  return {
    id: 'serverMetadata',
    specification: 'RFC 8414',
    endpoints: {
      'server-metadata': publicDocument('/.well-known/oauth-authorization-server', {
        maxAge,
        perIssuer: true,
        build: (server, issuer) => withSigned(serverMetadataDocument(server, issuer!), issuer, server),
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

function* configurationErrors(server: ServerContext, options: ServerMetadataOptions): Iterable<string> {
  const { issuer } = server.options;
  const { grantTypes = [], members = {} } = options;
  yield* OPTIONS.findErrors(options);
  if (issuer === undefined) {
    yield '`serverMetadata()` requires the option `issuer`: the https URL that identifies this server to clients';
    return;
  }
  if (!isPublicUrl(issuer)) {
    yield `\`serverMetadata()\` requires an \`issuer\` that is an https URL without query and fragment, or an http URL of localhost. Got \`${issuer}\``;
    return;
  }
  const derived = derivedMetadata(server, issuer, { ...options, grantTypes: () => true });
  const supported = derived['grant_types_supported'] as readonly string[];
  const listed = typeof grantTypes === 'function' ? [] : [grantTypes].flat();
  const unknown = listed.find((type) => !supported.includes(type));
  if (unknown !== undefined)
    yield `\`grantTypes\` of \`serverMetadata()\` contains \`${unknown}\`, which the server does not support`;
  const reserved = Object.keys(members).find((name) => Object.hasOwn(derived, name) || RESERVED_MEMBERS.has(name));
  if (reserved !== undefined) {
    yield `\`members\` of \`serverMetadata()\` must not contain \`${reserved}\`: ${RESERVED_MEMBERS.get(reserved) ?? 'the server sets it itself'}`;
  }
}

const OPTIONS = optionTable('`serverMetadata()`', {
  scopes: { check: SCOPES },
  grantTypes: {
    check: accepts(
      'a list of grant types, or a function',
      (value) => Array.isArray(value) || typeof value === 'function',
    ),
  },
  maxAge: { check: SECONDS_FROM_0, default: 3600 },
  members: { check: OBJECT },
} satisfies OptionRows<ServerMetadataOptions>);

/** Members that `members` must not contain, with what to do instead. */
const RESERVED_MEMBERS = new Map([
  ['scopes_supported', 'set the option `scopes` instead'],
  ['signed_metadata', 'add the feature `signedMetadata()` instead'],
]);
