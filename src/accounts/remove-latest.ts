import { type CredentialModel, type StoredCredential, TemporarilyUnavailableError } from '../../lib/index.js';

/** Number of attempts to remove a credential that changes whenever it is used. */
const ATTEMPTS = 10;

/**
 * Removes a credential, also if it is used at the same time and so changes after it was found.
 * @returns the removed credential, or `undefined` if there is none, or if a concurrent caller has removed it
 * @throws {TemporarilyUnavailableError} If it changes too often.
 */
export async function removeLatest(
  model: Pick<CredentialModel, 'removeCredential'>,
  find: () => Promise<StoredCredential | undefined>,
): Promise<StoredCredential | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const found = await find();
    if (!found || (await model.removeCredential(found))) return found;
  }
  throw new TemporarilyUnavailableError('Temporarily unavailable: the credential changes too often');
}
