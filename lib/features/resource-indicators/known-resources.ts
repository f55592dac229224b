import { InvalidTargetError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { CoreClient, Model, User } from '../../model/model.js';
import { isAmong, isResource, resourceKey } from '../../tokens/audience.js';
import { type OptionRows, optionTable } from '../../options/option-table.js';
import { accepts, FLAG, isListOf, isText } from '../../options/value-checks.js';
import { type DedicatedResources, dedicatedResources } from './dedicated-resources.js';
import type { ResourceIndicatorOptions, ResourceModel } from './options.js';

const URIS = accepts<readonly string[]>('a list of absolute URIs', (value) => isListOf(value, isText));
const OPTIONS = optionTable('`resourceIndicators()`', {
  resources: { check: URIS, default: [] },
  own: { check: URIS, default: [] },
  default: {
    check: accepts('an absolute URI, or a list of these', (value) => isText(value) || isListOf(value, isText)),
  },
  unrestricted: { check: FLAG },
} satisfies OptionRows<ResourceIndicatorOptions>);

/** The client and user that request a token. */
interface Requester {
  client: CoreClient;
  user?: User | undefined;
}

/**
 * The resources that a server issues tokens for: those that `validateResource()` of its model allows, or without it
 * those in its options.
 */
export class KnownResources {
  private readonly listed: ReadonlyMap<string, string>;
  private readonly model: Model & ResourceModel;
  /** The resources of a request without `resource`. */
  private readonly defaults: readonly string[];
  private readonly dedicated: DedicatedResources;
  /** Whether requests without `resource` get tokens without a resource if there is no default. */
  private readonly isUnrestricted: boolean;

  constructor(
    server: ServerContext,
    private readonly options: ResourceIndicatorOptions,
  ) {
    const { resources, unrestricted, default: meant } = options ?? {};
    // `configurationErrors()` reports values that are not lists.
    const uris = [...(Array.isArray(resources) ? resources : []), ...server.resources];
    this.model = server.options.model;
    this.listed = new Map(uris.map((uri) => [resourceKey(uri), uri]));
    this.dedicated = dedicatedResources(server);
    const { uris: dedicated, whole } = this.dedicated;
    const others = [...this.listed.values()].filter((uri) => !dedicated.has(uri));
    // If all known resources are dedicated, a token without a resource is for the other routes of the application.
    const hasOnlyDedicated = dedicated.size > 0 && others.length === 0 && !this.model.validateResource;
    this.isUnrestricted = unrestricted ?? hasOnlyDedicated;
    const only = others.length === 1 && !this.isUnrestricted ? others : [];
    const ofWhole = others.length === 0 && whole !== undefined ? [whole] : only;
    this.defaults = meant === undefined ? ofWhole : [meant].flat();
  }

  /**
   * Whether a request to a resource accepts a token.
   * @param audience The resources of the token. Empty if the token has none.
   * @param requested The resource of this application that the request is sent to. `undefined` for any other path.
   */
  isAccepted(audience: readonly string[], requested: string | undefined): boolean {
    if (audience.length > 0) return requested !== undefined && isAmong(requested, audience);
    return requested === undefined || (this.isUnrestricted && !this.dedicated.uris.has(requested));
  }

  /**
   * Returns the requested resources, or the default resources if none are requested. Resources in the options are
   * returned in their configured spelling. The list may be empty if tokens without a resource are issued.
   * @throws {InvalidTargetError} If a resource is unknown, or if none is requested and there is no default.
   */
  async verify(requested: readonly string[], requester: Requester): Promise<readonly string[]> {
    const uris = requested.length > 0 ? requested : this.defaults;
    if (uris.length === 0 && !this.isUnrestricted) throw new InvalidTargetError('Missing parameter: `resource`');
    const verified = new Set<string>();
    for (const uri of uris) {
      const resource = await this.find(uri, requester);
      if (resource === undefined) throw this.unknownResource(uri);
      verified.add(resource);
    }
    return [...verified];
  }

  /**
   * Returns those authorized resources that are still known and allowed for the client and user.
   * @throws {InvalidTargetError} If there are no such resources.
   */
  async remaining(authorized: readonly string[], requester: Requester): Promise<readonly string[]> {
    const known = new Set<string>();
    for (const uri of authorized) known.add((await this.find(uri, requester)) ?? '');
    known.delete('');
    if (known.size > 0) return [...known];
    const reason = 'no authorized resource is still known and allowed for this client';
    throw new InvalidTargetError('Invalid target: none of the granted resources is still available').because({
      reason,
      given: authorized,
    });
  }

  /** Yields the configuration errors of `resourceIndicators()`. */
  *configurationErrors(): Iterable<string> {
    const errors = [...OPTIONS.findErrors(this.options)];
    yield* errors;
    if (errors.length > 0) return;
    const { resources, own } = OPTIONS.settle(this.options);
    for (const uri of [...resources, ...own, ...this.defaults]) {
      if (!isResource(uri))
        yield `the resource \`${uri}\` of \`resourceIndicators()\` must be an absolute URI without fragment`;
    }
    for (const uri of own) {
      if (!/^https?:/i.test(uri))
        yield `\`own\` of \`resourceIndicators()\` must contain http or https URLs only. Got \`${uri}\``;
    }
    for (const uri of [...resources, ...own]) {
      const same = this.listed.get(resourceKey(uri));
      if (same !== undefined && same !== uri && isResource(uri))
        yield `\`resourceIndicators()\` treats \`${uri}\` and \`${same}\` as the same resource: remove one of them`;
    }
    if (this.model.validateResource) return;
    if (this.listed.size === 0) {
      yield '`resourceIndicators()` knows no resource: set `resources`, or implement `validateResource()` in the model';
    }
    for (const uri of this.defaults) {
      if (!this.listed.has(resourceKey(uri)))
        yield `\`default\` of \`resourceIndicators()\` contains \`${uri}\`: add it to \`resources\``;
    }
  }

  private async find(uri: string, { client, user }: Requester): Promise<string | undefined> {
    if (!this.model.validateResource) return this.listed.get(resourceKey(uri));
    return (await this.model.validateResource(uri, client, user)) ? uri : undefined;
  }

  private unknownResource(uri: string): InvalidTargetError {
    const detail = this.model.validateResource
      ? { reason: '`validateResource()` of the model refused the resource' }
      : { reason: 'resource is unknown', expected: [...this.listed.values()], remedy: RESOURCE };
    const error = new InvalidTargetError('Invalid target: `resource` is unknown, or not allowed for this client');
    return error.because({ ...detail, given: shortText(uri) });
  }
}

const RESOURCE = 'send one of the expected URIs, with the same host, or add the resource to `resources`';
