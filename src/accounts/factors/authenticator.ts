import { hash, randomBytes } from 'node:crypto';
import { consumeOnce, TextEncryption } from '../../../lib/internal.js';
import {
  type AccountKey,
  type CredentialModel,
  type OnceModel,
  ServerError,
  type StoredCredential,
  type User,
} from '../../../lib/index.js';
import type { SecondFactor } from '../../pages/index.js';
import { removeLatest } from '../remove-latest.js';
import { RecoveryCodes } from './recovery-codes.js';
import { newTotpSecret, verifyTotp } from './totp.js';

/** The stored data of an authenticator app. */
interface AppData {
  /** The encrypted secret. */
  readonly secret: string;
  /** The ID of the valid set of recovery codes. */
  readonly codes: string;
  /** The ID of the set that a request creates, which becomes valid once all of its codes are stored. */
  readonly nextCodes?: string;
}

/** A secret that an app does not prove yet. */
export interface Enrolment {
  readonly secret: string;
  /** The encrypted secret, which the form contains. Only the same user in the same browser can use it. */
  readonly sealed: string;
}

/** Seconds in which a new secret must be proved. */
const ENROLMENT = 600;

/** Seconds for which a used code is remembered: longer than it is valid. */
const REMEMBERED = 180;

/** The authenticator apps of one realm of users, with their recovery codes. The store keeps them. */
export class Authenticator implements SecondFactor {
  private readonly encryption: TextEncryption;
  private readonly recoveryCodes: RecoveryCodes;

  /** @param secrets The first secret encrypts. All secrets decrypt. */
  constructor(
    private readonly model: CredentialModel,
    secrets: readonly string[],
    private readonly realm: string,
  ) {
    this.encryption = new TextEncryption(secrets, 'nest-oauth2 authenticator app');
    this.recoveryCodes = new RecoveryCodes(model, realm);
  }

  async isEnrolled(user: User): Promise<boolean> {
    return (await this.find(userIdOf(user))) !== undefined;
  }

  /** Verifies a code of the app or a recovery code, and marks it as used. RFC 6238 §5.2 */
  async verify(user: User, code: string): Promise<boolean> {
    const userId = userIdOf(user);
    const found = await this.find(userId);
    if (!found) return false;
    const { secret, codes } = dataOf(found);
    if (!/^\d{6}$/.test(code)) return this.recoveryCodes.consume(userId, codes, code);
    const plain = this.encryption.decrypt(secret, this.ownerOf(userId));
    if (plain === undefined) {
      throw new ServerError(
        'Server error: the secret of an authenticator app cannot be decrypted: keep the previous secret in the list of the option `secret`',
      );
    }
    if (!(await this.consume(userId, plain, code))) return false;
    if (!this.encryption.isNewest(secret, this.ownerOf(userId))) {
      await this.model.replaceCredential(found, this.data(userId, plain, codes));
    }
    return true;
  }

  /** Returns a new secret for a user. */
  async begin(user: User, browser: string): Promise<Enrolment> {
    const secret = await newTotpSecret();
    const text = JSON.stringify({ secret, expires: Date.now() + ENROLMENT * 1000 });
    return { secret, sealed: this.encryption.encrypt(text, this.enrolmentOf(user, browser)) };
  }

  /** Returns the secret of a form. `undefined` if it has expired, or belongs to another user or browser. */
  read(user: User, browser: string, sealed: string | undefined): Enrolment | undefined {
    const text = sealed && this.encryption.decrypt(sealed, this.enrolmentOf(user, browser));
    if (!sealed || !text) return undefined;
    const { secret, expires } = JSON.parse(text) as { secret: string; expires: number };
    return expires > Date.now() ? { secret, sealed } : undefined;
  }

  /**
   * Enrols an app that proves its secret by a code.
   * @returns the recovery codes. `undefined` if the code is wrong, or if the user has an app already.
   */
  async enrol(user: User, { secret }: Enrolment, code: string): Promise<readonly string[] | undefined> {
    const userId = userIdOf(user);
    if (!(await this.consume(userId, secret, code))) return undefined;
    const set = newSet();
    // The app is added last: if the process ends before, the user sets it up again.
    const codes = await this.recoveryCodes.create(userId, set);
    const credential = { kind: 'totp', key: keyOf(userId), data: this.data(userId, secret, set) } as const;
    if (await this.model.addCredential(this.accountOf(userId), credential)) return codes;
    await this.recoveryCodes.remove(userId, [set]);
    return undefined;
  }

  /**
   * Replaces the recovery codes of a user. The codes before stay valid until all new ones are stored. `undefined` if the
   * user has no app, or if another request replaces them.
   */
  async newCodes(user: User): Promise<readonly string[] | undefined> {
    const userId = userIdOf(user);
    const found = await this.find(userId);
    if (!found) return undefined;
    const { secret, codes, nextCodes } = dataOf(found);
    const set = newSet();
    const begun = JSON.stringify({ secret, codes, nextCodes: set } satisfies AppData);
    if (!(await this.model.replaceCredential(found, begun))) return undefined;
    const created = await this.recoveryCodes.create(userId, set);
    const finished = JSON.stringify({ secret, codes: set } satisfies AppData);
    const isValid = await this.model.replaceCredential({ ...found, data: begun }, finished);
    // A request that was interrupted may have left a part of its set.
    await this.recoveryCodes.remove(userId, isValid ? [codes, nextCodes] : [set]);
    return isValid ? created : undefined;
  }

  /** Returns how many recovery codes of a user are unused. `undefined` if the user has no app. */
  async codesLeft(user: User): Promise<number | undefined> {
    const found = await this.find(userIdOf(user));
    return found && this.recoveryCodes.count(userIdOf(user), dataOf(found).codes);
  }

  /** Removes the app and the recovery codes of a user. Returns `false` if the user has no app. */
  async remove(userId: string): Promise<boolean> {
    const app = await removeLatest(this.model, () => this.find(userId));
    if (!app) return false;
    const { codes, nextCodes } = dataOf(app);
    await this.recoveryCodes.remove(userId, [codes, nextCodes]);
    return true;
  }

  /** Accepts a code once in its time step, over all processes. */
  private async consume(userId: string, secret: string, code: string): Promise<boolean> {
    const step = await verifyTotp(secret, code);
    if (step === undefined) return false;
    const digest = hash('sha256', JSON.stringify(['totp', this.realm, userId, step]), 'base64url');
    return consumeOnce(this.model as Partial<OnceModel>, digest, REMEMBERED);
  }

  private async find(userId: string): Promise<StoredCredential | undefined> {
    return this.model.findCredential(this.realm, 'totp', keyOf(userId));
  }

  private data(userId: string, secret: string, codes: string): string {
    const data: AppData = { secret: this.encryption.encrypt(secret, this.ownerOf(userId)), codes };
    return JSON.stringify(data);
  }

  /** The row to which an encrypted secret belongs. */
  private ownerOf(userId: string): string {
    return JSON.stringify(['totp', this.realm, userId]);
  }

  private enrolmentOf(user: User, browser: string): string {
    return JSON.stringify(['enrolment', this.realm, userIdOf(user), browser]);
  }

  private accountOf(userId: string): AccountKey {
    return { realm: this.realm, userId };
  }
}

const userIdOf = (user: User) => String(user['id']);

/** A user has one app. */
const keyOf = (userId: string) => JSON.stringify(['totp', userId]);

const dataOf = ({ data }: StoredCredential) => JSON.parse(data!) as AppData;

const newSet = () => randomBytes(16).toString('base64url');
