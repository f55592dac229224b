import {
  findKeys,
  isLoopbackName,
  isPlaceholder,
  SERVER_SECRETS,
  serverMetadataDocument,
} from '../../../lib/internal.js';
import type {
  Awaitable,
  ClientsModel,
  CoreClient,
  HealthModel,
  OAuth2Server,
  SchemaModel,
} from '../../../lib/index.js';
import type { KeyModel, SigningKeys } from '../../../lib/jose/index.js';
import type { ReportApplication } from './application.js';
import { reportClient, type ReportClient } from './client.js';
import type { ReportFacts, ReportKey, ReportSecret, ReportStore } from './facts.js';

/** A list of clients, for models that cannot list their clients. */
export type ListClients = () => Awaitable<Iterable<CoreClient>>;

/** Facts that the server itself does not contain. */
export interface FactSources {
  readonly tenant?: string | undefined;
  readonly tenants?: readonly string[] | undefined;
  readonly application?: ReportApplication | undefined;
  readonly clients?: ListClients | undefined;
}

/** Maximum number of clients that are examined, and of clients in one page. */
const MAX_CLIENTS = 10_000;
const PAGE = 1000;
/** Milliseconds after which a call of the model counts as failed. */
const DEADLINE = 10_000;

/** Reads the facts about one server. It does not reject if the model fails: the failure is one of the facts. */
export async function readFacts({ context }: OAuth2Server, sources: FactSources): Promise<ReportFacts> {
  const { options } = context;
  const model = options.model as object;
  const issuer = URL.canParse(options.issuer ?? '') ? new URL(options.issuer!) : undefined;
  const isProduction = process.env['NODE_ENV'] === 'production';
  const settings = new Map(context.features.map((feature) => [feature.id, feature.settings ?? {}]));
  const { clients, unlistedClients } = await readClients(model, sources.clients, options.issuer);
  return {
    server: context,
    options,
    issuer,
    tenant: sources.tenant,
    tenants: sources.tenants,
    isDevelopment: !isProduction && (issuer === undefined || isLoopbackName(issuer.hostname)),
    metadata: issuer ? (serverMetadataDocument(context, options.issuer!) as Record<string, unknown>) : {},
    clients,
    keys: await readKeys(context),
    store: await readStore(model, unlistedClients),
    secrets: (context.find(SERVER_SECRETS) ?? []).map(judgeSecret),
    application: sources.application,
    process: {
      isProduction,
      verifiesTls: process.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0',
    },
    now: Date.now(),
    has: (feature) => settings.has(feature),
    settings: (feature) => settings.get(feature) ?? {},
  };
}

/**
 * Reads the clients page by page. Clients that belong to another issuer are left out.
 * @param list lists the clients instead of the model.
 */
async function readClients(model: object, list: ListClients | undefined, issuer: string | undefined) {
  const clients: ReportClient[] = [];
  const add = (all: Iterable<CoreClient>) => {
    for (const one of all) {
      if (clients.length >= MAX_CLIENTS) return false;
      if ((one.issuer ?? issuer) === issuer) clients.push(reportClient(one));
    }
    return true;
  };
  const tooMany = `only the first ${MAX_CLIENTS} clients were examined`;
  try {
    if (list) return { clients, unlistedClients: add(await within(list())) ? undefined : tooMany };
    const { listClients } = model as Partial<ClientsModel>;
    if (typeof listClients !== 'function') return { clients, unlistedClients: NO_LIST };
    let after: string | undefined;
    do {
      const page = await within(listClients.call(model, { limit: PAGE, ...(after !== undefined && { after }) }));
      if (!add(page.clients)) return { clients, unlistedClients: tooMany };
      after = page.next;
    } while (after !== undefined);
    return { clients, unlistedClients: undefined };
  } catch (error) {
    // The message of a driver may contain an address or credentials.
    const isOwn = (error as { name?: unknown } | undefined)?.name === 'invalid_argument';
    return { clients, unlistedClients: isOwn ? NO_LIST : 'the model failed to list them' };
  }
}

const NO_LIST = 'the model cannot list them: pass `clients` to `OAuth2Report.with()`';

/** Returns the public keys, with the time since when each signs if the store keeps them. */
async function readKeys(context: OAuth2Server['context']): Promise<readonly ReportKey[]> {
  const ring = findKeys(context);
  if (!ring) return [];
  try {
    const isStored = 'list' in ring;
    // The first read of the keys would create one.
    const { getSigningKeys } = context.options.model as Partial<KeyModel>;
    if (isStored && !(await within(getSigningKeys?.call(context.options.model)))) return [];
    const stored = isStored ? await within((ring as unknown as Pick<SigningKeys, 'list'>).list()) : [];
    const published = await within(ring.published());
    return published.map((jwk) => {
      const { kid, alg, n } = jwk as { kid?: string; alg?: string; n?: string };
      return {
        kid: kid ?? '',
        alg,
        modulusBits: n === undefined ? undefined : Buffer.from(n, 'base64url').length * 8,
        signsFrom: stored.find((key) => key.kid === kid && key.state === 'current')?.signsFrom,
      };
    });
  } catch {
    // `isReachable` of the store reports that it fails.
    return [];
  }
}

async function readStore(model: object, unlistedClients: string | undefined): Promise<ReportStore> {
  const { ping, checkSchema } = model as Partial<HealthModel & SchemaModel>;
  const { users } = model as { users?: object };
  const isReachable = typeof ping === 'function' ? await succeeds(() => ping.call(model)) : undefined;
  const canCheck = typeof checkSchema === 'function' && isReachable !== false;
  return {
    kind: model.constructor?.name || 'object',
    isReachable,
    isSchemaCurrent: canCheck ? await succeeds(() => checkSchema.call(model)) : undefined,
    unlistedClients,
    can: (method) => isMethod(model, method),
    canUsers: (method) => (typeof users === 'object' && users !== null ? isMethod(users, method) : undefined),
  };
}

const isMethod = (target: object, name: string) => typeof (target as Record<string, unknown>)[name] === 'function';

async function succeeds(check: () => Awaitable<unknown>): Promise<boolean> {
  try {
    await within(check());
    return true;
  } catch {
    return false;
  }
}

/** Waits for a call of the model, at most until the deadline. */
async function within<T>(result: Awaitable<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${DEADLINE} ms`)), DEADLINE);
  });
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Further words of examples, at least six characters long: a random secret contains one by chance once in a million
 * times.
 */
const EXAMPLE = /secret|example|password|insecure|develop|quick.?start|123456|abcdef|qwerty/i;

const judgeSecret = (secret: string): ReportSecret => ({
  distinctCharacters: new Set(secret).size,
  isPlaceholder: isPlaceholder(secret) || EXAMPLE.test(secret),
});
