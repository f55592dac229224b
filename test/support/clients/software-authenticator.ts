import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';

/** Options of a page with passkeys, as its script reads them. */
export interface PasskeyOptions {
  challenge: string;
  rpId: string;
  ids: string[];
  userVerification: string;
  user?: { id: string };
}

/** The values that a browser or an attacker changes. By default, the browser of an honest user at the origin. */
export interface Ceremony {
  origin?: string;
  rpId?: string;
  challenge?: string;
  /** Whether the device verified the user, for example by a fingerprint. Default: `true`. */
  verifiesUser?: boolean;
  userHandle?: string;
  type?: string;
}

/** Flags of authenticator data. Web Authentication Level 3 §6.1 */
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const BACKUP_ELIGIBLE = 0x08;
const BACKED_UP = 0x10;
const ATTESTED = 0x40;

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const encode = (data: Buffer) => data.toString('base64url');

/** A passkey in software, of the algorithm ES256. Web Authentication Level 3 §6 */
export class SoftwarePasskey {
  counter = 0;
  readonly id = encode(randomBytes(16));
  private userHandle = '';
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  /** @param isSynced whether the passkey may be, and is, backed up */
  constructor(
    private readonly origin: string,
    public isSynced = false,
  ) {}

  /** Returns the response to a registration, as the field `response` of a form. */
  create(options: PasskeyOptions, ceremony: Ceremony = {}): string {
    this.userHandle ||= options.user!.id;
    const id = Buffer.from(this.id, 'base64url');
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, this.coseKey()]);
    const authData = Buffer.concat([this.authenticatorData(options, ceremony, ATTESTED), attested]);
    const attestationObject = cborMap([
      [cborText('fmt'), cborText('none')],
      [cborText('attStmt'), cborMap([])],
      [cborText('authData'), cborBytes(authData)],
    ]);
    const clientDataJSON = this.clientData('webauthn.create', options, ceremony);
    return this.json({ clientDataJSON: encode(clientDataJSON), attestationObject: encode(attestationObject) });
  }

  /** Returns the response to a sign-in, as the field `response` of a form. */
  get(options: PasskeyOptions, ceremony: Ceremony = {}): string {
    const authData = this.authenticatorData(options, ceremony, 0);
    const clientDataJSON = this.clientData('webauthn.get', options, ceremony);
    const signature = createSign('sha256').update(Buffer.concat([authData, sha256(clientDataJSON)]));
    return this.json({
      clientDataJSON: encode(clientDataJSON),
      authenticatorData: encode(authData),
      signature: encode(signature.sign(this.keys.privateKey)),
      userHandle: ceremony.userHandle ?? this.userHandle,
    });
  }

  private json(response: object): string {
    const { id } = this;
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  private clientData(type: string, options: PasskeyOptions, ceremony: Ceremony): Buffer {
    const { challenge = options.challenge, origin = this.origin } = ceremony;
    return Buffer.from(JSON.stringify({ type: ceremony.type ?? type, challenge, origin, crossOrigin: false }));
  }

  private authenticatorData(
    options: PasskeyOptions,
    { rpId = options.rpId, verifiesUser = true }: Ceremony,
    more: number,
  ) {
    const backup = this.isSynced ? BACKUP_ELIGIBLE | BACKED_UP : 0;
    const flags = USER_PRESENT | (verifiesUser ? USER_VERIFIED : 0) | backup | more;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter]);
  }

  /** The public key in COSE. RFC 9053 §7.1 */
  private coseKey(): Buffer {
    const { x, y } = this.keys.publicKey.export({ format: 'jwk' });
    return cborMap([
      [Buffer.from([0x01]), Buffer.from([0x02])], // kty: EC2
      [Buffer.from([0x03]), Buffer.from([0x26])], // alg: ES256
      [Buffer.from([0x20]), Buffer.from([0x01])], // crv: P-256
      [Buffer.from([0x21]), cborBytes(Buffer.from(x!, 'base64url'))],
      [Buffer.from([0x22]), cborBytes(Buffer.from(y!, 'base64url'))],
    ]);
  }
}

/** Encodes the head of a CBOR item. RFC 8949 §3 */
function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  if (length < 256) return Buffer.from([(major << 5) | 24, length]);
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff]);
}

const cborBytes = (bytes: Buffer) => Buffer.concat([cborHead(2, bytes.length), bytes]);
const cborText = (text: string) => Buffer.concat([cborHead(3, text.length), Buffer.from(text)]);
const cborMap = (entries: readonly (readonly [Buffer, Buffer])[]) =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);
