import { JwtTokens, jwtAccessTokens, keys, signingKeys } from 'nest-oauth2/jose';
import { OAuth2Server } from 'nest-oauth2/server';
import type { Feature } from 'nest-oauth2/features';

const model = new JwtTokens({ issuer: 'https://id.example.com', audience: 'https://notes.example.com' });
const features: Feature[] = [keys({ secret: 'a secret of thirty-two characters' }), jwtAccessTokens()];
export const rotated: Promise<string> = signingKeys(new OAuth2Server({ model, features })).rotate({ alg: 'ES256' });

// @ts-expect-error: were the types lost on the way, anything would pass.
export const wrong: number = model;
