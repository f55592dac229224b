import type { Feature, ServerContext } from '../../contracts/feature.js';
import type { KeyManagementAlgorithm } from '../encryption/algorithms.js';

/** A feature that reads what clients encrypt to the server: `keys()` has keys for it. */
export interface DecryptingFeature extends Feature {
  readonly decrypts: Decrypting;
}

/** What a feature needs for that. */
export interface Decrypting {
  /** What is encrypted to the server by; left out: by what there is a key for. */
  readonly algorithms?: readonly KeyManagementAlgorithm[] | undefined;
  /** Seconds for which something that was read is read again: while its user signs in, say. */
  readonly lifetime: number;
}

/** Of all features of a server. */
export const decryptingOf = ({ features }: Pick<ServerContext, 'features'>): readonly Decrypting[] =>
  features.filter((one): one is DecryptingFeature => 'decrypts' in one).map(({ decrypts }) => decrypts);

/** What a store keeps a key for, where a feature does not say. */
const USUAL: readonly KeyManagementAlgorithm[] = ['ECDH-ES'];

/** By what keys in a store have to decrypt. */
export const wantedOf = (server: Pick<ServerContext, 'features'>): readonly KeyManagementAlgorithm[] => [
  ...new Set(decryptingOf(server).flatMap(({ algorithms = USUAL }) => algorithms)),
];
