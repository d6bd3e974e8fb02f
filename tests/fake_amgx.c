// AmgX's C interface over memory of the host's: conjugate gradients without a preconditioner.
//
// It says so on stdout, as AmgX does, unless a printer is registered. By variables of the environment:
// FAKE_AMGX_LOG : the file that gets a line of each call, `name object`
// FAKE_AMGX_FAIL : the call that ends in an error, and which, such as `matrix_upload_all:7`
// FAKE_AMGX_STATUS : of each solve, instead of its own
// FAKE_AMGX_EARLY : if set, the k-th solve of a solver ends at 10^-k ||b||, if that is above its tolerance

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DDDI = 8193, BAD_PARAMETERS = 1, UNCONVERGED = 3 };

// Of all kinds; kind is 0 once it is destroyed, and its memory stays, so that it can be seen.
typedef struct object {
    char kind;
    int n, *starts, *columns, most, iterations, status, solves;
    double *values, tolerance;
    struct object *matrix;
} object;

static void (*printer)(const char *, int);

static int begun(const char *name, const void *what) {
    const char *path = getenv("FAKE_AMGX_LOG"), *fail = getenv("FAKE_AMGX_FAIL");
    if (printer) printer("AmgX prints\n", 12);
    else printf("AmgX prints\n"), fflush(stdout);
    if (path) {
        FILE *log = fopen(path, "a");
        fprintf(log, "%s %p\n", name, what);
        fclose(log);
    }
    const size_t length = strlen(name);
    return fail && !strncmp(fail, name, length) && fail[length] == ':' ? atoi(fail + length + 1) : 0;
}

static int created(const char *name, char kind, object **made) {
    object *fresh = calloc(1, sizeof(object));
    const int code = begun(name, fresh);
    if (code) return code;
    fresh->kind = kind;
    *made = fresh;
    return 0;
}

static int destroyed(const char *name, char kind, object *what) {
    const int code = begun(name, what);
    if (code || what->kind != kind) return code ? code : BAD_PARAMETERS;
    what->kind = 0;
    return 0;
}

static int is(const object *what, char kind) { return what && what->kind == kind; }

int AMGX_get_error_string(int code, char *words, int room) {
    snprintf(words, room, code == 7 ? "Insufficient memory." : "Error %d of the fake.", code);
    return 0;
}

int AMGX_register_print_callback(void (*function)(const char *, int)) {
    printer = function;
    return begun("register_print_callback", NULL);
}

int AMGX_initialize(void) { return begun("initialize", NULL); }
int AMGX_finalize(void) { return begun("finalize", NULL); }

int AMGX_config_create(object **made, const char *text) {
    const int code = created("config_create", 'c', made);
    if (code) return code;
    // Those of the outer solver come last.
    for (const char *at = text; (at = strstr(at, "\"tolerance\": ")); at++) (*made)->tolerance = atof(at + 13);
    for (const char *at = text; (at = strstr(at, "\"max_iters\": ")); at++) (*made)->most = atoi(at + 13);
    return 0;
}

int AMGX_resources_create(object **made, object *config, void *ranks, int count, const int *devices) {
    if (!is(config, 'c') || ranks || count != 1 || devices[0] != 0) return BAD_PARAMETERS;
    return created("resources_create", 'r', made);
}

int AMGX_matrix_create(object **made, object *resources, int mode) {
    if (!is(resources, 'r') || mode != DDDI) return BAD_PARAMETERS;
    return created("matrix_create", 'm', made);
}

int AMGX_vector_create(object **made, object *resources, int mode) {
    if (!is(resources, 'r') || mode != DDDI) return BAD_PARAMETERS;
    return created("vector_create", 'v', made);
}

int AMGX_solver_create(object **made, object *resources, int mode, object *config) {
    if (!is(resources, 'r') || mode != DDDI || !is(config, 'c')) return BAD_PARAMETERS;
    const int code = created("solver_create", 's', made);
    if (!code) (*made)->tolerance = config->tolerance, (*made)->most = config->most;
    return code;
}

int AMGX_config_destroy(object *config) { return destroyed("config_destroy", 'c', config); }
int AMGX_resources_destroy(object *resources) { return destroyed("resources_destroy", 'r', resources); }
int AMGX_matrix_destroy(object *matrix) { return destroyed("matrix_destroy", 'm', matrix); }
int AMGX_vector_destroy(object *vector) { return destroyed("vector_destroy", 'v', vector); }
int AMGX_solver_destroy(object *solver) { return destroyed("solver_destroy", 's', solver); }

static void *copied(const void *from, size_t bytes) { return memcpy(malloc(bytes), from, bytes); }

int AMGX_matrix_upload_all(
    object *matrix, int n, int nnz, int high, int wide, const int *starts, const int *columns,
    const void *values, const void *diagonal) {
    const int code = begun("matrix_upload_all", matrix);
    if (code) return code;
    if (!is(matrix, 'm') || n < 1 || high != 1 || wide != 1 || diagonal || starts[n] != nnz) return BAD_PARAMETERS;
    matrix->n = n;
    matrix->starts = copied(starts, (n + 1) * sizeof(int));
    matrix->columns = copied(columns, nnz * sizeof(int));
    matrix->values = copied(values, nnz * sizeof(double));
    return 0;
}

int AMGX_vector_upload(object *vector, int n, int high, const void *values) {
    const int code = begun("vector_upload", vector);
    if (code || !is(vector, 'v') || high != 1) return code ? code : BAD_PARAMETERS;
    vector->n = n;
    vector->values = copied(values, n * sizeof(double));
    return 0;
}

int AMGX_vector_set_zero(object *vector, int n, int high) {
    const int code = begun("vector_set_zero", vector);
    if (code || !is(vector, 'v') || high != 1) return code ? code : BAD_PARAMETERS;
    vector->n = n;
    vector->values = calloc(n, sizeof(double));
    return 0;
}

int AMGX_vector_download(const object *vector, void *values) {
    const int code = begun("vector_download", vector);
    if (code || !is(vector, 'v')) return code ? code : BAD_PARAMETERS;
    memcpy(values, vector->values, vector->n * sizeof(double));
    return 0;
}

int AMGX_solver_setup(object *solver, object *matrix) {
    const int code = begun("solver_setup", solver);
    if (code || !is(solver, 's') || !is(matrix, 'm')) return code ? code : BAD_PARAMETERS;
    solver->matrix = matrix;
    return 0;
}

static void product(const object *a, const double *x, double *y) {
    for (int row = 0; row < a->n; row++) {
        y[row] = 0;
        for (int p = a->starts[row]; p < a->starts[row + 1]; p++) y[row] += a->values[p] * x[a->columns[p]];
    }
}

static double dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static int solved(object *solver, const object *right, object *solution, int from_zero) {
    const object *a = solver->matrix;
    if (!is(solver, 's') || !is(right, 'v') || !is(solution, 'v') || !is(a, 'm')) return BAD_PARAMETERS;
    const int n = a->n;
    if (right->n != n || solution->n != n) return BAD_PARAMETERS;
    double *x = solution->values, *r = calloc(n, 8), *p = malloc(n * 8), *q = malloc(n * 8);
    if (from_zero) memset(x, 0, n * sizeof(double));
    product(a, x, q);
    for (int i = 0; i < n; i++) p[i] = r[i] = right->values[i] - q[i];
    double tolerance = solver->tolerance, rr = dot(n, r, r);
    solver->solves++;
    if (getenv("FAKE_AMGX_EARLY"))
        tolerance = fmax(tolerance, pow(10, -solver->solves) * sqrt(dot(n, right->values, right->values)));
    int step = 0;
    for (; step < solver->most && sqrt(rr) >= tolerance; step++) {
        product(a, p, q);
        const double alpha = rr / dot(n, p, q), before = rr;
        for (int i = 0; i < n; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
        rr = dot(n, r, r);
        for (int i = 0; i < n; i++) p[i] = r[i] + rr / before * p[i];
    }
    const char *status = getenv("FAKE_AMGX_STATUS");
    solver->iterations = step;
    solver->status = status ? atoi(status) : sqrt(rr) < tolerance ? 0 : UNCONVERGED;
    free(r), free(p), free(q);
    return 0;
}

int AMGX_solver_solve(object *solver, object *right, object *solution) {
    const int code = begun("solver_solve", solver);
    return code ? code : solved(solver, right, solution, 0);
}

int AMGX_solver_solve_with_0_initial_guess(object *solver, object *right, object *solution) {
    const int code = begun("solver_solve_with_0_initial_guess", solver);
    return code ? code : solved(solver, right, solution, 1);
}

int AMGX_solver_get_iterations_number(object *solver, int *count) {
    *count = solver->iterations;
    return begun("solver_get_iterations_number", solver);
}

int AMGX_solver_get_status(object *solver, int *status) {
    *status = solver->status;
    return begun("solver_get_status", solver);
}
