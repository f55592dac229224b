import { InvalidTargetError } from '../../errors/index.js';
import { shortText } from '../../events/events.js';
import type { ServerContext } from '../../contracts/feature.js';
import type { CoreClient, Model, User } from '../../model/model.js';
import { isResource, resourceKey } from '../../tokens/audience.js';
import { findUnknownOption } from '../../options/unknown-option.js';
import type { ResourceIndicatorOptions, ResourceModel } from './options.js';

const NAMES = { resources: true, own: true, default: true, unrestricted: true } as const;

/** Who wants a token. */
interface Requester {
  client: CoreClient;
  user?: User | undefined;
}

/** The resources that a server issues tokens for: those of the lists, or those that its model grants. */
export class KnownResources {
  private readonly listed: ReadonlyMap<string, string>;
  private readonly model: Model & ResourceModel;
  /** What is meant by a request that names none. */
  private readonly defaults: readonly string[];

  constructor(
    server: ServerContext,
    private readonly options: ResourceIndicatorOptions,
  ) {
    const { resources, unrestricted = false, default: meant } = options ?? {};
    // `faults()` reports options that are no list.
    const uris = [...(Array.isArray(resources) ? resources : []), ...server.resources];
    this.model = server.options.model;
    this.listed = new Map(uris.map((uri) => [resourceKey(uri), uri]));
    const only = this.listed.size === 1 && !unrestricted ? [...this.listed.values()] : [];
    this.defaults = meant === undefined ? only : [meant].flat();
  }

  /**
   * Those that are named, or meant, as they are known; none where the host issues tokens for nothing in particular.
   * @throws InvalidTargetError for one that is not known, or when one had to be named
   */
  async verify(requested: readonly string[], requester: Requester): Promise<readonly string[]> {
    const uris = requested.length > 0 ? requested : this.defaults;
    if (uris.length === 0 && !this.options.unrestricted) throw new InvalidTargetError('Missing parameter: `resource`');
    const found = new Set<string>();
    for (const uri of uris) {
      const resource = await this.find(uri, requester);
      if (resource === undefined) throw this.unknownResource(uri);
      found.add(resource);
    }
    return [...found];
  }

  /** What is still known of what was granted. @throws InvalidTargetError when nothing is */
  async remaining(authorized: readonly string[], requester: Requester): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const uri of authorized) found.add((await this.find(uri, requester)) ?? '');
    found.delete('');
    if (found.size > 0) return [...found];
    const reason = 'of the resources that were granted, one at least is known and for this client';
    throw new InvalidTargetError('Invalid target: no resource of the grant is left').because({
      reason,
      given: authorized,
    });
  }

  /** What is wrong with the lists, as sentences. */
  *configurationErrors(): Iterable<string> {
    const misspelt = findUnknownOption(this.options, NAMES, '`resourceIndicators()`');
    if (misspelt !== undefined) yield misspelt;
    if ((this.options as unknown) === null) return;
    const { resources = [], own = [] } = this.options;
    const odd = Object.entries({ resources, own }).filter(([, list]) => !Array.isArray(list));
    for (const [name] of odd) yield `\`${name}\` of \`resourceIndicators\` must be a list of absolute URIs`;
    if (odd.length > 0) return;
    for (const uri of [...resources, ...own, ...this.defaults]) {
      if (!isResource(uri))
        yield `the resource \`${uri}\` of \`resourceIndicators\` is no absolute URI without fragment`;
    }
    for (const uri of own) {
      if (!/^https?:/i.test(uri)) yield `\`own\` of \`resourceIndicators\` lists URLs, and \`${uri}\` is none`;
    }
    for (const uri of [...resources, ...own]) {
      const same = this.listed.get(resourceKey(uri));
      if (same !== undefined && same !== uri && isResource(uri))
        yield `\`resourceIndicators\` takes \`${uri}\` and \`${same}\` for one: leave one out`;
    }
    if (this.model.validateResource) return;
    if (this.listed.size === 0) {
      yield '`resourceIndicators` knows no resource: list some in `resources`, or give the model `validateResource()`';
    }
    for (const uri of this.defaults) {
      if (!this.listed.has(resourceKey(uri)))
        yield `the \`default\` of \`resourceIndicators\`, \`${uri}\`, is not listed`;
    }
  }

  private async find(uri: string, { client, user }: Requester): Promise<string | undefined> {
    if (!this.model.validateResource) return this.listed.get(resourceKey(uri));
    return (await this.model.validateResource(uri, client, user)) ? uri : undefined;
  }

  private unknownResource(uri: string): InvalidTargetError {
    const detail = this.model.validateResource
      ? { reason: '`validateResource()` grants the resource' }
      : { reason: 'the resource is known', expected: [...this.listed.values()] };
    const error = new InvalidTargetError('Invalid target: `resource` is unknown, or not for this client');
    return error.because({ ...detail, given: shortText(uri) });
  }
}
