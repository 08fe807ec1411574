// SPDX-License-Identifier: Apache-2.0
// Instances of a model in MuJoCo for beside_mujoco.py, without what a loop in Python would add.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  mjModel* model;
  int count;
  mjData** data;
  float* rows;  // qpos and qvel of each, as an observation
} Instances;

Instances* instances_make(const char* path, int count) {
  char error[1000] = "";
  mjModel* model = mj_loadXML(path, NULL, error, sizeof error);
  if (model == NULL) {
    fprintf(stderr, "%s\n", error);
    return NULL;
  }
  Instances* all = malloc(sizeof *all);
  all->model = model;
  all->count = count;
  all->data = malloc(sizeof(mjData*) * (size_t)count);
  all->rows = calloc((size_t)count * (size_t)(model->nq + model->nv), sizeof(float));
  for (int i = 0; i < count; ++i) {
    all->data[i] = mj_makeData(model);
  }
  return all;
}

void instances_reset(Instances* all) {
  for (int i = 0; i < all->count; ++i) {
    mj_resetData(all->model, all->data[i]);
    if (all->model->nkey == 0) {
      all->data[i]->qpos[all->model->nq - 1] = 0.05;
    }
  }
}

static void step(Instances* all, int i) {
  const mjModel* model = all->model;
  mjData* data = all->data[i];
  for (int a = 0; a < model->nu; ++a) {
    data->ctrl[a] = 0.0;
  }
  mj_step(model, data);
  float* row = all->rows + (size_t)i * (size_t)(model->nq + model->nv);
  for (int j = 0; j < model->nq; ++j) {
    row[j] = (float)data->qpos[j];
  }
  for (int j = 0; j < model->nv; ++j) {
    row[model->nq + j] = (float)data->qvel[j];
  }
}

// Steps the instances from first to last - 1 together, one step after the other.
void instances_lockstep(Instances* all, int first, int last, int steps) {
  for (int t = 0; t < steps; ++t) {
    for (int i = first; i < last; ++i) {
      step(all, i);
    }
  }
}

// Steps them one instance after the other.
void instances_rollout(Instances* all, int first, int last, int steps) {
  for (int i = first; i < last; ++i) {
    for (int t = 0; t < steps; ++t) {
      step(all, i);
    }
  }
}

void instances_save(Instances* all, int times) {
  mjtNum* state = malloc(sizeof(mjtNum) * (size_t)mj_stateSize(all->model, mjSTATE_INTEGRATION));
  for (int i = 0; i < times; ++i) {
    mj_getState(all->model, all->data[0], state, mjSTATE_INTEGRATION);
  }
  free(state);
}

void instances_restore(Instances* all, int times) {
  mjtNum* state = malloc(sizeof(mjtNum) * (size_t)mj_stateSize(all->model, mjSTATE_INTEGRATION));
  mj_getState(all->model, all->data[0], state, mjSTATE_INTEGRATION);
  for (int i = 0; i < times; ++i) {
    mj_setState(all->model, all->data[0], state, mjSTATE_INTEGRATION);
  }
  free(state);
}

void instances_clone(Instances* all, int times) {
  for (int i = 0; i < times; ++i) {
    mj_deleteData(mj_copyData(NULL, all->model, all->data[0]));
  }
}
