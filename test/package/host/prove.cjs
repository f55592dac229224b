require('reflect-metadata');
const { makeProof } = require('./prove-module.cjs');

exports.proof = makeProof({
  common: require('@nestjs/common'),
  core: require('@nestjs/core'),
  oauth: require('nest-oauth2'),
  jose: require('nest-oauth2/jose'),
  memory: require('nest-oauth2/stores/memory'),
  typeorm: require('nest-oauth2/stores/typeorm'),
  library: require('typeorm'),
  driver: require('libsql'),
});
