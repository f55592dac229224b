import { InvalidClientMetadataError } from '../errors/index.js';
import type { ClientMetadata } from '../contracts/client-metadata.js';
import { FetchError, SafeFetch, type SafeFetchOptions } from '../http/safe-fetch/index.js';
import { unreachableResource } from '../remote/client-resource.js';
import { commonHost, sectorUris } from '../clients/registration/sector-host.js';

/** Bytes of a document that lists redirect URIs. */
const SIZE = 65_536;

/** Who belongs together: clients whose redirect URIs one document lists. OpenID Connect Registration §5 */
export class Sectors {
  private readonly fetch: SafeFetch;

  constructor(options: SafeFetchOptions | undefined) {
    this.fetch = new SafeFetch({ size: SIZE, ...options });
  }

  /**
   * Verifies the `subject_type` and the sector of a client that registers itself, or that a metadata document describes.
   * @throws {InvalidClientMetadataError} If `byDefault` is set and the client requests public identifiers: clients must not turn off what
   *   the operator set for all of them. It is also thrown if the client does not belong to the sector that it claims.
   */
  async verify(metadata: ClientMetadata, byDefault: boolean): Promise<void> {
    const { subject_type: type, sector_identifier_uri: uri, redirect_uris: redirectUris = [] } = metadata;
    if (byDefault && type === 'public') throw invalid('`subject_type` must be `pairwise`, or omitted');
    if (uri !== undefined) await this.verifyListed(uri, redirectUris);
    const isPairwise = type === undefined ? byDefault : type === 'pairwise';
    if (!isPairwise || redirectUris.length === 0) return;
    if (commonHost(sectorUris(uri, redirectUris)) !== undefined) return;
    throw invalid('redirect URIs of several hosts need a `sector_identifier_uri`');
  }

  private async verifyListed(uri: string, redirectUris: readonly string[]): Promise<void> {
    // Of who has nothing to be listed it would say nothing.
    if (redirectUris.length === 0) throw invalid('`sector_identifier_uri` is for clients with `redirect_uris`');
    const listed = await this.read(uri);
    if (Array.isArray(listed) && redirectUris.every((one) => listed.includes(one))) return;
    throw invalid('`sector_identifier_uri` does not list all of its `redirect_uris`');
  }

  /** What is wrong is for the operator: whoever names an address must not learn what is behind it. */
  private async read(uri: string): Promise<unknown> {
    try {
      const { body } = await this.fetch.text(uri, 'application/json');
      return JSON.parse(body) as unknown;
    } catch (error) {
      if (error instanceof FetchError && error.isTemporary) {
        throw unreachableResource(`\`sector_identifier_uri\` cannot be read: ${error.message}`, error);
      }
      if (!(error instanceof FetchError || error instanceof SyntaxError)) throw error;
      const reason = 'the document of a sector can be fetched';
      throw invalid('`sector_identifier_uri` cannot be read').because({ reason, given: error.message });
    }
  }
}

const invalid = (what: string) => new InvalidClientMetadataError(`Invalid client metadata: ${what}`);
