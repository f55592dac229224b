/**
 * Whether a stored record may be used at an issuer. A record without an issuer may be used at every issuer. A server
 * without an issuer accepts all records.
 */
export function isOfIssuer(stored: { issuer?: string | null }, issuer: string | undefined): boolean {
  return issuer === undefined || stored.issuer === undefined || stored.issuer === null || stored.issuer === issuer;
}
