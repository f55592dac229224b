import type { CanActivate, DynamicModule } from '@nestjs/common';
import { OAuth2Module, OAuthGuard, type Model, type OAuth2Server } from 'nest-oauth2';
import DefaultServer, { Request, Response, type Token } from 'nest-oauth2/server';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const users = { findByCredentials: async () => undefined, findById: async () => undefined };
const model: Model = new MemoryStore({ clients: [{ id: 'demo', grants: ['client_credentials'] }], users });

export const module: DynamicModule = OAuth2Module.forRoot({ model });
export const guard: new (...args: never[]) => CanActivate = OAuthGuard;

const server: OAuth2Server = new DefaultServer({ model });
const request = new Request({ method: 'POST', query: {}, headers: {} });
export const token: Promise<Token> = server.token(request, new Response());

// @ts-expect-error: were the types lost on the way, anything would pass.
export const wrong: number = server;
