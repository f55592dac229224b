/** Is this good at the issuer that is asked? What names no issuer is good at any, and a server that has none asks for none. */
export function isOfIssuer(stored: { issuer?: string | null }, issuer: string | undefined): boolean {
  return issuer === undefined || stored.issuer === undefined || stored.issuer === null || stored.issuer === issuer;
}
