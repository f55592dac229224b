import { InvalidClientMetadataError } from '../errors/index.js';
import type { ClientMetadata } from '../contracts/client-metadata.js';
import { FetchError, SafeFetch, type SafeFetchOptions } from '../http/safe-fetch/index.js';
import { unreachableResource } from '../remote/client-resource.js';
import { commonHost, sectorUris } from '../clients/registration/sector-host.js';

/** Maximum number of bytes of the document at a `sector_identifier_uri`. */
const SIZE = 65_536;

/**
 * The verifier of sectors. A sector is a group of clients whose redirect URIs are listed in one document. OpenID
 * Connect Registration §5
 */
export class Sectors {
  private readonly fetch: SafeFetch;

  constructor(options: SafeFetchOptions | undefined) {
    this.fetch = new SafeFetch({ size: SIZE, ...options });
  }

  /**
   * Verifies the `subject_type` and the sector of a client that registers itself, or comes from a client ID metadata
   * document.
   * @throws {InvalidClientMetadataError} If the client does not belong to the sector that it claims, or if it requests
   * public identifiers although `byDefault` is set.
   */
  async verify(metadata: ClientMetadata, byDefault: boolean): Promise<void> {
    const { subject_type: type, sector_identifier_uri: uri, redirect_uris: redirectUris = [] } = metadata;
    if (byDefault && type === 'public') throw invalid('`subject_type` must be `pairwise`, or omitted');
    if (uri !== undefined) await this.verifyListed(uri, redirectUris);
    const isPairwise = type === undefined ? byDefault : type === 'pairwise';
    if (!isPairwise || redirectUris.length === 0) return;
    if (commonHost(sectorUris(uri, redirectUris)) !== undefined) return;
    throw invalid(
      'a client with pairwise subjects whose redirect URIs have several hosts requires a `sector_identifier_uri`',
    );
  }

  private async verifyListed(uri: string, redirectUris: readonly string[]): Promise<void> {
    // Without redirect URIs, the document would prove nothing.
    if (redirectUris.length === 0) throw invalid('`sector_identifier_uri` requires `redirect_uris`');
    const listed = await this.read(uri);
    if (Array.isArray(listed) && redirectUris.every((one) => listed.includes(one))) return;
    throw invalid('the document at `sector_identifier_uri` does not list all `redirect_uris`');
  }

  /**
   * Fetches the document of a sector. The reason of a failure is only logged, so that clients cannot probe internal
   * addresses (SSRF).
   */
  private async read(uri: string): Promise<unknown> {
    try {
      const { body } = await this.fetch.text(uri, 'application/json');
      return JSON.parse(body) as unknown;
    } catch (error) {
      if (error instanceof FetchError && error.isTemporary) {
        throw unreachableResource(`\`sector_identifier_uri\` cannot be read: ${error.message}`, error);
      }
      if (!(error instanceof FetchError || error instanceof SyntaxError)) throw error;
      const reason = 'document of the sector could not be fetched, or is not valid JSON';
      throw invalid('`sector_identifier_uri` cannot be read').because({ reason, given: error.message });
    }
  }
}

const invalid = (reason: string) => new InvalidClientMetadataError(`Invalid client metadata: ${reason}`);
