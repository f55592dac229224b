import { isPublicClient, isSelfRegistered } from '../../../lib/internal.js';
import type { CoreClient, ManagedSecret } from '../../../lib/index.js';

/** A client as rules see it. It has no secret. */
export interface ReportClient {
  readonly id: string;
  readonly grants: readonly string[];
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  /** Whether the client has the authentication method `none`. */
  readonly isPublic: boolean;
  readonly isNative: boolean;
  /** Whether the client registered itself. */
  readonly isSelfRegistered: boolean;
  /** The unexpired secrets, newest first. `undefined` if they are unknown. */
  readonly secrets: readonly ManagedSecret[] | undefined;
  /** Returns a field of the client by its property name, such as `jwksUri`. */
  readonly field: (name: string) => unknown;
}

/** Returns a client of a model as rules see it. Values of a wrong type count as missing. */
export function reportClient(client: CoreClient & { secrets?: readonly ManagedSecret[] }): ReportClient {
  const { metadata } = client as { metadata?: Record<string, unknown> | null };
  const field = (name: string): unknown =>
    (client as unknown as Record<string, unknown>)[name] ?? metadata?.[snakeCase(name)] ?? undefined;
  return {
    id: String(client.id),
    grants: texts(client.grants),
    redirectUris: texts(field('redirectUris')),
    scopes: texts(field('scopes')),
    isPublic: isPublicClient(client),
    isNative: field('applicationType') === 'native',
    isSelfRegistered: isSelfRegistered(client),
    secrets: Array.isArray(client.secrets) ? client.secrets : undefined,
    field,
  };
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
