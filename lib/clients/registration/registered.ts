import type { Client } from '../../model/model.js';
import { isObject } from '../../options/kinds.js';

/**
 * What a client is registered with: as its host has said it, by its name in camel case, or in its `metadata`, where it has said so
 * itself or its document has: `requestUris` is `request_uris` there. A host may have said anything; null says nothing. RFC 7591 §2
 */
export function registered<Name extends keyof Client>(client: Client, name: Name): Client[Name] | undefined {
  const { metadata } = client as { metadata?: unknown };
  return client[name] ?? (isObject(metadata) ? (metadata[memberOf(name)] as Client[Name]) : undefined) ?? undefined;
}

const memberOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
