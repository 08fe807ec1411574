-- SPDX-License-Identifier: Apache-2.0
return require('wbvector')({'x', 'y', 'z', 'w'})
