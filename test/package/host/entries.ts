import type { Model as ModelOfModule, OAuth2Server as ServerOfModule } from 'nest-oauth2';
import { introspection, type Feature } from 'nest-oauth2/features';
import { jwtAccessTokens } from 'nest-oauth2/jose';
import { mcp } from 'nest-oauth2/mcp';
import { openid } from 'nest-oauth2/openid';
import { type InvalidGrantError, type Model, OAuth2Server, type Request } from 'nest-oauth2/server';
import type { Store } from 'nest-oauth2/stores';
import type { MemoryStore } from 'nest-oauth2/stores/memory';
import { checkModel } from 'nest-oauth2/testing';

type IsSame<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

// A class with private members is assignable to itself only. A second declaration would be another class.
export const servers: IsSame<ServerOfModule, OAuth2Server> = true;
export const models: IsSame<ModelOfModule, Model> = true;
export const errors: IsSame<OAuth2Server.InvalidGrantError, InvalidGrantError> = true;
export const requests: IsSame<OAuth2Server.Request, Request> = true;
export const store: (memory: MemoryStore) => Store = (memory) => memory;
export const report: (memory: MemoryStore) => Promise<{ ok: boolean }> = (model) =>
  checkModel(() => ({ model, client: { id: 'demo' } }));

// The server accepts the features of all entries.
export const features: Feature[] = [introspection(), jwtAccessTokens(), openid(), ...mcp()];
export const server: (model: MemoryStore) => ServerOfModule = (model) => new OAuth2Server({ model, features });

// The members of the class are values and types, as in version 5.x of `@node-oauth/oauth2-server`.
export class OwnError extends OAuth2Server.InvalidGrantError {}
export const isOwn = (error: OAuth2Server.OAuthError): error is OwnError => error instanceof OwnError;

// @ts-expect-error: without declarations, both types would be `any`.
export const wrong: IsSame<OAuth2Server, Request> = true;
