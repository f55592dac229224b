// An application of the CommonJS build, whose copy of `jose` the command cannot load and need not.
require('reflect-metadata');
const { Module } = require('@nestjs/common');
const { OAuth2Module } = require('nest-oauth2');
const { keys } = require('nest-oauth2/jose');
const { MemoryStore } = require('nest-oauth2/stores/memory');

const model = () => new MemoryStore({ clients: [], users: { findByCredentials: () => null, findById: () => null } });
class AppModule {}
const imports = [
  OAuth2Module.forRoot({ model: model(), features: [keys({ secret: 'a secret of thirty-two characters' })] }),
  OAuth2Module.forRoot({ name: 'partners', paths: { prefix: 'partners' }, model: model() }),
];
Module({ imports })(AppModule);
exports.AppModule = AppModule;
