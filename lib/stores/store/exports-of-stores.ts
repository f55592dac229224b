// The names that each entry of stores exports, besides its own.
export { hashSecret, newClientSecret } from '../clients/client-secret.js';
export {
  hashPassword,
  type PasswordAlgorithm,
  type PasswordHashOptions,
  verifyPassword,
} from '../clients/passwords.js';
export type { Clients, SecretHash, StoredClient, Users } from '../contract/ports.js';
